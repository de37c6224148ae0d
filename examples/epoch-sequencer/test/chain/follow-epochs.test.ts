import { RecordedNode } from 'evm-chain';
import type { ChainEvent } from 'mempool-sequencer';
import { followEpochs, openRelayPool } from 'mempool-sequencer/evm';
import { expect, onTestFinished, test } from 'vitest';
import { type Validator, validators } from './cast.ts';
import { openHome } from './home.ts';
import { chainTo, recorded } from './recorded.ts';

const finalityBlocks = 3;
/** Of the recorded epochs. */
const closesAt = Date.UTC(2100, 0);
const wait = { timeout: 20_000, interval: 10 };

/** A validator that follows the recorded chain. `fault` may throw before an event is applied, or after it. */
async function follower(fault: (moment: 'before' | 'after') => void = () => undefined, chain = chainTo) {
  const node = new RecordedNode(() => '');
  node.blocks = chain(1, 'main');
  const contract = { ...recorded.contract, url: await node.listen() };
  const [validator] = validators(3) as [Validator];
  const { sequencer, election } = await openHome(
    contract,
    validator,
    () => undefined,
    () => closesAt - 60_000,
  );
  const config = { backend: 'ephemeral', ordering: 'priority', watcherLockTtlMs: 500 } as const;
  const relay = await openRelayPool(config, contract, { finalityBlocks, pollMs: 5 });
  const changes: ChainEvent[] = [];
  const apply: typeof sequencer.monitor.apply = async (event, lease) => {
    fault('before');
    const isChange = await sequencer.monitor.apply(event, lease);
    if (isChange) changes.push(event);
    fault('after');
    return isChange;
  };
  const told = { epoch: sequencer.epoch.bind(sequencer), namespace: sequencer.namespace, monitor: { apply } };
  const options = { contract, relay: relay.pool, sequencer: told, finalityBlocks, pollMs: 5, report: () => undefined };
  const stopping = new AbortController();
  await election.start();
  const following = election.runAsLeader((signal, _, part) => followEpochs(options, part, { signal }), stopping);
  onTestFinished(async () => {
    stopping.abort();
    await following.catch(() => undefined);
    await relay.close();
    await election.stop();
    await sequencer.close();
    await node[Symbol.asyncDispose]();
  });
  /** Waits until the pool has followed the node, and this event was told last. */
  const grownTo = async (number: number, branch: 'main' | 'fork', last: string): Promise<void> => {
    node.blocks = chain(number, branch);
    const tip = node.blocks.at(-1)?.hash.slice(2);
    await expect.poll(async () => (await relay.pool.tip()).point?.hash, wait).toBe(tip);
    await expect.poll(() => changes.map(({ kind, epoch }) => `${kind} ${epoch}`), wait).toContain(last);
  };
  const phase = async (epoch: number) => (await sequencer.epoch(epoch))?.phase;
  return { changes, grownTo, phase, sequencer };
}

type Follower = Awaited<ReturnType<typeof follower>>;

async function wholeChain({ changes, grownTo, phase }: Follower): Promise<void> {
  await grownTo(3, 'main', 'released 2');
  await grownTo(4, 'main', 'confirmed 1');
  await grownTo(6, 'main', 'finalized 1');
  await expect.poll(() => phase(2), wait).toBe('complete');
  await grownTo(6, 'fork', 'undone 2');
  await expect.poll(() => phase(2), wait).toBe('onchain');
  expect(changes.filter(({ kind }) => kind === 'finalized')).toHaveLength(1);
  await grownTo(9, 'fork', 'finalized 2');
}

const places = (blocks: ReturnType<typeof chainTo>): string[] =>
  blocks
    .slice(4)
    .flatMap(({ logs, transactions }) => (logs.length === 0 ? [] : transactions.map(({ hash }) => hash.slice(2))));

test('what the chain tells of epochs is told once, and undone when the chain goes back', async () => {
  const own = await follower();
  await wholeChain(own);
  const [first, second] = places(chainTo(6, 'main'));
  const [, again] = places(chainTo(9, 'fork'));
  expect(again).not.toBe(second);
  const names = validators(3).map(({ address }) => address);
  const root = (epoch: number): string => String(epoch).repeat(64);
  expect(own.changes).toMatchObject([
    { kind: 'released', epoch: 1, closesAt, validators: names },
    { kind: 'released', epoch: 2, validators: names },
    { kind: 'confirmed', epoch: 1, root: root(1), transaction: first },
    { kind: 'confirmed', epoch: 2, root: root(2), transaction: second },
    { kind: 'finalized', epoch: 1, root: root(1) },
    { kind: 'undone', epoch: 2 },
    { kind: 'confirmed', epoch: 2, root: root(2), transaction: again },
    { kind: 'finalized', epoch: 2, root: root(2) },
  ]);
  expect(await own.sequencer.epoch(2)).toMatchObject({ phase: 'complete', transaction: again });
});

test('wherever it fails while it tells, everything is told in the end', { timeout: 120_000 }, async () => {
  const runs = (['before', 'after'] as const).map((moment) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map(async (fails) => {
      let calls = 0;
      const own = await follower((at) => {
        if (at === moment && ++calls === fails) throw new Error('it fails');
      });
      await wholeChain(own);
      for (const epoch of [1, 2]) expect(await own.phase(epoch)).toBe('complete');
      expect(calls).toBeGreaterThanOrEqual(fails);
    }),
  );
  await Promise.all(runs.flat());
});

test('a release that is invalid does not keep the next one from being read', async () => {
  const word = (value: bigint): string => value.toString(16).padStart(64, '0');
  const inNanoseconds: typeof chainTo = (number, branch) => {
    const blocks = chainTo(number, branch);
    const release = blocks.find(({ logs }) => logs.length > 0);
    if (release === undefined) return blocks;
    const text = JSON.stringify(release).replace(word(BigInt(closesAt)), word(BigInt(closesAt) * 1_000_000n));
    return blocks.with(blocks.indexOf(release), JSON.parse(text));
  };
  const { grownTo, sequencer } = await follower(undefined, inNanoseconds);
  await grownTo(3, 'main', 'released 2');
  expect(await sequencer.epoch(1)).toBeNull();
  expect(await sequencer.namespace.records.list('refused/')).toMatchObject([{ name: 'refused/1' }]);
});
