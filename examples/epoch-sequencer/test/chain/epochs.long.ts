import { join } from 'node:path';
import { startDevChain } from 'evm-chain';
import type { Sequencer } from 'mempool-sequencer';
import { EpochContract, EpochRelayer, followEpochs, openRelayPool, releaseEpoch } from 'mempool-sequencer/evm';
import { expect, onTestFinished, test } from 'vitest';
import { deployContract } from '../../src/chain/deploy-contract.ts';
import { validators } from './cast.ts';
import { openHome, submission } from './home.ts';
import { minedBy, ownerKey, turnTo } from './scene.ts';

const finalityBlocks = 8;
/** A missing event is a failure, however long the wait. */
const wait = { timeout: 240_000, interval: 100 };
/** How long a window is open by the validators' clocks, which the test puts forward. */
const windowMs = 3_600_000;

test('epochs that the chain releases are agreed on, submitted, undone by a reorganisation, submitted again, and finalized', async () => {
  // Its blocks are the test's, so that none is final before everybody has seen what is in it.
  const chain = await startDevChain();
  onTestFinished(() => chain[Symbol.asyncDispose]());
  const contract = await deployContract(chain, { owner: ownerKey, name: 'protocol:market', turnSeconds: 1_000 });
  const reader = new EpochContract(contract);
  const all = validators(4);
  const sequencers: Sequencer[] = [];
  const stopping = new AbortController();
  const running: Promise<unknown>[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    stopping.abort();
    await Promise.allSettled(running);
    for (const close of closing.reverse()) await close();
  });
  const errors: unknown[] = [];
  let undone = 0;
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  for (const validator of all) {
    await chain.call('hardhat_setBalance', validator.address, '0xffffffffffffffffffffff');
    const gossip = async (message: Uint8Array): Promise<void> => {
      for (const other of sequencers) if (other !== sequencer) await other.gateway.acceptBatch(message, { peer: 'p' });
    };
    const { sequencer, election, folder } = await openHome(contract, validator, gossip, now);
    const path = join(folder, 'relay.sqlite');
    const relay = await openRelayPool({ backend: 'sqlite', path, ordering: 'priority' }, contract, { finalityBlocks });
    const own = { contract, relay, epochs: sequencer, finalityBlocks, privateKey: validator.key };
    const relayer = new EpochRelayer({ ...own, report: (error) => errors.push(error) });
    await election.start();
    sequencers.push(sequencer);
    closing.push(
      () => sequencer.close(),
      () => relay.close(),
      () => election.stop(),
    );
    const lead = election.runAsLeader(async (signal, _, part) => {
      const apply: typeof sequencer.monitor.apply = (event, lease) => {
        if (event.kind === 'undone') undone += 1;
        return sequencer.monitor.apply(event, lease);
      };
      const told = { epoch: sequencer.epoch.bind(sequencer), namespace: sequencer.namespace, monitor: { apply } };
      const follow = followEpochs({ contract, relay: relay.pool, sequencer: told, finalityBlocks }, part, { signal });
      await Promise.all([sequencer.lead(part, { signal }), follow]);
    }, stopping);
    running.push(sequencer.run(stopping), relayer.run(stopping), lead);
  }
  const phases = async (epoch: number) => Promise.all(sequencers.map(async (each) => (await each.epoch(epoch))?.phase));
  const allIn = (epoch: number, phase: string) => expect.poll(() => phases(epoch), wait).toEqual(all.map(() => phase));
  /** Makes blocks of what is sent until an epoch has its root. No block comes after that one. */
  const agreed = (epoch: number) =>
    expect
      .poll(async () => {
        const sent = Number(await chain.call('eth_getBlockTransactionCountByNumber', 'pending'));
        if (sent > 0 && (await reader.rootOf(epoch)) === null) await chain.mine();
        return reader.rootOf(epoch);
      }, wait)
      .not.toBeNull();

  const release = async (epoch: number): Promise<void> => {
    const validators = all.map((each) => each.address);
    await releaseEpoch(contract, ownerKey, { epoch, closesAt: now() + windowMs, validators });
    await chain.mine();
  };
  const submit = async (epoch: number): Promise<void> => {
    for (const { gateway } of sequencers)
      for (const project of ['btc', 'eth'])
        expect(await gateway.accept(submission(contract, epoch, project, `cid-${epoch}`), { peer: 'p' })).toMatchObject(
          { kind: 'received' },
        );
    aheadMs += windowMs;
  };
  await release(1);
  await allIn(1, 'submission');
  const first = await turnTo(chain, reader, 1);
  const back = await chain.snapshot();
  await submit(1);
  await agreed(1);
  await allIn(1, 'complete');
  const before = await sequencers[0]?.epoch(1);
  expect(await reader.rootOf(1)).toBe(before?.root);

  // Another one's turn: the submission that was undone comes again, and reverts.
  await back();
  expect(await turnTo(chain, reader, 1)).not.toBe(first);
  // The chain is as long as it was before it is seen to be another one.
  await expect
    .poll(async () => {
      await chain.mine();
      return undone;
    }, wait)
    .toBeGreaterThanOrEqual(all.length);
  await agreed(1);
  await allIn(1, 'complete');
  expect(await reader.rootOf(1)).toBe(before?.root);
  await release(2);
  await allIn(2, 'submission');
  await submit(2);
  await agreed(2);
  await allIn(2, 'complete');
  for (let i = 0; i < finalityBlocks; i += 1) await chain.mine();

  for (const sequencer of sequencers)
    for (const epoch of [1, 2]) {
      const record = await sequencer.epoch(epoch);
      expect(record).toMatchObject({ root: await reader.rootOf(epoch), onchain: 'confirmed' });
      if (record === null) throw new Error('no record');
      const stages = () => sequencer.namespace.withEpoch(record, async (pool) => (await pool.dumpFinalized()).entries);
      await expect.poll(stages, wait).toMatchObject([{ stage: 'Finalized' }, { stage: 'Finalized' }]);
    }
  // Each epoch was taken once, and no nonce was left out.
  let right = 0;
  for (const { address } of all) {
    const mined = await minedBy(reader, address);
    expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, i) => i));
    right += mined.filter(({ isRight, data }) => isRight && data !== '0x').length;
  }
  expect(right).toBe(2);
  expect(errors).toEqual([]);
});
