import { randomUUID } from 'node:crypto';
import { type EpochRecord, type Namespace, openNamespace } from 'mempool-sequencer';
import { freePort } from 'mempool-testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { ValidatorConfig } from '../src/process/config.ts';
import { homeOf } from '../src/process/home.ts';
import { roles } from '../src/process/role.ts';
import { runRole } from '../src/process/run-role.ts';
import { domain, signed } from './keys.ts';
import { RecordedChain } from './recorded-chain.ts';

const chain = new RecordedChain();
const validators = ['v1', 'v2'];
/** The store's clock keeps the window, so the test waits for its end. */
const windowMs = 30_000;

async function configs(): Promise<ValidatorConfig[]> {
  const protocol = `test-${randomUUID().slice(0, 8)}`;
  const first = await freePort();
  const make = async (name: string): Promise<ValidatorConfig> => ({
    ...{ name, protocol, market: 'market', redis: inject('redisUrl'), key: name, slots: [] },
    chain: { url: '', address: '0x', chainId: 1, domain },
    finalityBlocks: 1,
    gossipPort: name === 'v1' ? first : await freePort(),
    httpPort: await freePort(),
    peers: name === 'v1' ? [] : [`/ip4/127.0.0.1/tcp/${first}`],
    ...{ peerRate: 100, claimMs: 1_000, leaseMs: 1_000, level2TimeoutMs: 5_000 },
  });
  return Promise.all(validators.map(make));
}

/** Starts each role of a validator, with libraries and connections of its own. */
function start(config: ValidatorConfig): void {
  const stop = new AbortController();
  const side = {
    config,
    chain: chain.sideOf(config.name),
    signal: stop.signal,
    working: () => undefined,
    now: Date.now,
  };
  const running = roles.map((role) => runRole(role, { ...side, name: role }));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
}

async function post({ httpPort }: ValidatorConfig, message: Uint8Array): Promise<unknown> {
  const url = `http://127.0.0.1:${httpPort}/submissions`;
  const answer = await fetch(url, { method: 'POST', body: new Uint8Array(message) }).catch(() => null);
  return answer === null ? null : [answer.status, ((await answer.json()) as { kind: string }).kind];
}

const vote = (slot: number, epoch = 1): Uint8Array => signed({ epoch, slot, project: 'p', cid: 'c' });

const recordOf = async ({ records }: Namespace): Promise<EpochRecord | null> =>
  (await records.read<EpochRecord>('epoch/0000000000000001'))?.value ?? null;

/** How many submissions of the epoch a validator has. */
async function stored(namespace: Namespace): Promise<number> {
  const record = await recordOf(namespace);
  if (record === null) return 0;
  const { pending, propagated, acknowledged } = await namespace.withEpoch(record, (pool) => pool.usage());
  return pending + propagated + acknowledged;
}

test('what one validator receives reaches the other by gossip, and both agree on one result', async () => {
  const [one, two] = (await configs()) as [ValidatorConfig, ValidatorConfig];
  await using first = await openNamespace(homeOf(one));
  await using second = await openNamespace(homeOf(two));
  start(one);
  start(two);
  chain.events.push({ kind: 'released', epoch: 1, closesAt: Date.now() + windowMs, validators });
  await expect.poll(() => post(one, vote(1))).toEqual([202, 'received']);
  expect(await post(one, vote(1))).toEqual([200, 'duplicate']);
  // What is sent before the two have found each other reaches one only.
  let slot = 1;
  const send = async (): Promise<number> => {
    slot = Math.min(slot + 1, 9);
    await post(one, vote(slot));
    return stored(second);
  };
  await expect.poll(send).toBeGreaterThan(0);
  expect(await post(two, new Uint8Array([1]))).toEqual([400, 'malformed']);
  expect(await post(two, vote(1, 9))).toEqual([404, 'unknown-epoch']);
  expect(await post(two, vote(10))).toEqual([403, 'unknown-slot']);
  for (const namespace of [first, second])
    await expect.poll(() => recordOf(namespace)).toMatchObject({ phase: 'onchain', certifiedAt: expect.any(Number) });
  expect((await recordOf(first))?.root).toBe((await recordOf(second))?.root);
  await expect.poll(() => post(two, vote(1))).toEqual([410, 'closed']);
});
