import { randomUUID } from 'node:crypto';
import type { ReceiveOutcome } from 'mempool-core';
import { receivePlan } from 'mempool-core/backend';
import { expect, inject, test, vi } from 'vitest';
import { Committer } from '../../src/priority/committer.ts';
import { MirrorSync } from '../../src/priority/mirror-sync.ts';
import type { WriteCall } from '../../src/priority/write-call.ts';
import { transaction } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { allSaid, start } from '../process.ts';
import { mirrorNode, poolNode } from './node.ts';
import { numbers, priced } from './priced.ts';

const count = 2_000;
/** The name of the node whose turn it is. */
const turn = "local turns = redis.call('HGET', KEYS[1], 'turns') return turns and cmsgpack.unpack(turns)[2] or ''";

test.for(['SIGKILL', 'SIGSTOP'] as const)(
  'N1, X1: calls that were left to another node are carried out once, though nodes get %s meanwhile',
  { timeout: 180_000 },
  async (signal) => {
    const [url, pool] = [inject('redisUrl'), randomUUID()];
    const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs: 30_000 });
    const nodes = numbers(5).map((n) => start('./priority/admitter.ts', [url, pool, n * 400, count]));
    const said = nodes.map((node) => allSaid<string[]>(node));
    const admin = operator(url);
    const reached = (least: number) =>
      vi.waitFor(async () => expect((await store.usage()).pending).toBeGreaterThan(least), { timeout: 60_000 });
    for (const node of nodes.slice(0, 3)) {
      await vi.waitFor(async () => expect(await admin.eval(turn, 1, `{${pool}}:meta`)).toMatch(/~$/), 60_000);
      const { pending } = await store.usage();
      await reached(pending + 50);
      node.kill(signal);
    }
    await reached((await store.usage()).pending);
    for (const node of nodes) node.kill('SIGCONT');
    const [all, left] = [(await Promise.all(said)).flat(2), signal === 'SIGKILL' ? 3 : 0];
    // What a killed node was told, nobody else was.
    expect(new Set(all).size).toBe(all.length);
    expect(all.length)[left === 0 ? 'toBe' : 'toBeLessThan'](count);
    const { transactions } = await store.peekPending({ limit: 1_000 });
    expect(transactions.map(({ seq }) => seq)).toEqual(numbers(1_000));
    expect(await store.usage()).toMatchObject({ pending: count, lastSeq: count });
    const node = mirrorNode(url, pool);
    expect(await node.remembered()).toEqual(await node.stored());
  },
);

test('X2, M2: each of many nodes that write at once gets its own outcomes, refusals and errors', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const options = { url, pool, ordering: 'priority', maxTxs: 100, timeoutMs: 30_000 } as const;
  const stores = (await Promise.all(numbers(5).map(() => openPool(options)))).map(({ store }) => store);
  await Promise.all(
    stores.map(async (store, node) => {
      for (const n of numbers(60)) {
        const own = [priced(1_000 * node + n, { priority: BigInt(n) }), priced(9_000 + n, { priority: -1n })];
        const operationId = `${node}-${n}`;
        const outcome = await store.receive(own, { operationId });
        expect(outcome.map(({ hash }) => hash)).toEqual(own.map(({ hash }) => hash));
        const other = stores[(node + 1) % stores.length] as typeof store;
        if (n % 6 === 0) expect(await other.receive(own, { operationId })).toEqual(outcome);
        const reused = other.receive([priced(1)], { operationId });
        if (n % 7 === 0) await expect(reused).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID' });
        else await reused.catch(() => undefined);
      }
    }),
  );
  const node = mirrorNode(url, pool);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('calls that were left to another node survive FLUSHALL: they go to the pool that is made anew', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const options = { url, pool, ordering: 'priority', timeoutMs: 30_000 } as const;
  const stores = (await Promise.all(numbers(4).map(() => openPool(options)))).map(({ store }) => store);
  const admin = operator(url);
  const keys = ['meta', 'idx', 'body', 'log', 'events', 'calls', 'entries', 'changes', 'intake'];
  await Promise.all([
    ...stores.map(async (store, node) => {
      for (const n of numbers(150)) expect(await store.receive([priced(1_000 * node + n)])).toHaveLength(1);
    }),
    vi
      .waitFor(async () => expect(await admin.exists(`{${pool}}:intake`)).toBe(1), 20_000)
      .then(() => admin.del(keys.map((key) => `{${pool}}:${key}`))),
  ]);
  const node = mirrorNode(url, pool);
  const stored = await node.stored();
  expect(await node.remembered()).toEqual(stored);
  expect(stored.entries.length).toBeGreaterThan(0);
});

test('X1, X2: a call that nobody served and that its node answered without a change is not carried out later', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const options = { url, pool, ordering: 'priority', timeoutMs: 30_000 } as const;
  const [left, ...others] = (await Promise.all(numbers(3).map(() => openPool(options)))).map(({ store }) => store);
  const [one] = others as [NonNullable<typeof left>];
  const mine = priced(1);
  await one.receive([mine]);
  // It is the turn of a node that has died.
  const dead = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)
    return redis.call('HSET', KEYS[1], 'turns', cmsgpack.pack({ now + 1000, 'dead~' }))`;
  const admin = operator(url);
  await admin.eval(dead, 1, `{${pool}}:meta`);
  expect(await left?.receive([mine])).toMatchObject([{ kind: 'duplicate' }]);
  expect(await admin.xlen(`{${pool}}:intake`)).toBe(1);
  await one.drop([mine.hash], { app: 'cancelled' });
  const write = async (store: NonNullable<typeof left>, node: number) => {
    for (const n of numbers(200)) await store.receive([priced(1_000 * (node + 1) + n)]);
  };
  await Promise.all([...others, ...others].map(write));
  expect(await one.checkStatus([mine.hash])).toMatchObject([{ stage: 'Dropped' }]);
});

/** A call of `receive` of transaction `n` and of `more` behind it. */
function calling(n: number, ids: 'ops' | 'calls', more = 0): WriteCall<ReceiveOutcome[]> {
  const unbounded = { senderLimit: null, expiresAt: null, expiresAtHeight: null, propagate: true };
  const verdict = { priority: BigInt(n), sender: '', gas: 0, provides: [], requires: [], ...unbounded };
  const submissions = numbers(1 + more, n).map((each) => ({ ...transaction(each), from: null, verdict }));
  const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
  const left = { submissions, moment: { now: null, height: null }, thresholds };
  const state = { sent: new Map(), needMs: 0, wasLeft: false, mayBeServed: false, from: null };
  const context = { digest: undefined, signal: undefined };
  const plan = receivePlan(left);
  return {
    script: 'commit',
    verb: 'receive',
    fence: ['', '', '', ''],
    plan,
    left,
    id: `${n}`,
    ids,
    ...context,
    ...state,
  };
}

test('X1, X2: of calls that one script carries out, those behind one that is known, or was planned too early, are planned again', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority' });
  const link = new MirrorSync(poolNode(url, pool));
  await vi.waitFor(() => link.load(), 60_000);
  const { clock } = link.node.options;
  const committer = new Committer(link, 'planner~');
  const kinds = async (...calls: WriteCall<ReceiveOutcome[]>[]) => {
    const tried = await committer.attemptAll(calls, () => '', clock() + 5_000);
    return tried.flatMap((each): unknown[] => (each.kind === 'done' ? [each.outcome].flat() : [each.kind]));
  };
  const received = (...seqs: number[]) => seqs.map((seq) => expect.objectContaining({ kind: 'received', seq }));
  const [second, fourth] = [calling(2, 'ops'), calling(4, 'ops')];
  expect(await kinds(calling(1, 'ops'), second)).toEqual(received(1, 2));
  const again = calling(2, 'ops');
  // The node does not see that the call is known: it plans the transactions of the pool as it was.
  const taken = { ...again, plan: calling(20, 'ops').plan };
  expect(await kinds(calling(3, 'ops'), taken, fourth)).toEqual([...received(3, 2), 'behind']);
  expect(
    await kinds(fourth, calling(5, 'calls'), calling(6, 'calls'), calling(7, 'calls', 40), calling(50, 'ops')),
  ).toEqual(received(4, 5, 6, ...numbers(41, 7), 48));
  await store.receive([priced(60)]);
  const late = [calling(61, 'ops'), calling(62, 'ops')] as const;
  expect(await kinds(...late)).toEqual(['behind', 'behind']);
  // It is the other node's turn, for a moment.
  await vi.waitFor(async () => expect(await kinds(...late)).toEqual(received(50, 51)), 60_000);
  expect((await store.usage()).pending).toBe(51);
  const node = mirrorNode(url, pool);
  expect(await node.remembered()).toEqual(await node.stored());
});
