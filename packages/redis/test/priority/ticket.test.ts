import { randomUUID } from 'node:crypto';
import type { Mempool, StoredTransaction } from 'mempool-core';
import { receivePlan } from 'mempool-core/backend';
import { expect, inject, test, vi } from 'vitest';
import { Committer } from '../../src/priority/committer.ts';
import { MirrorSync } from '../../src/priority/mirror-sync.ts';
import type { WriteCall } from '../../src/priority/write-call.ts';
import { hashOf, point, transaction } from '../chain.ts';
import { openPool, operator } from '../own-server.ts';
import { start } from '../process.ts';
import { mirrorNode, poolNode } from './node.ts';
import { numbers, priced } from './priced.ts';

const perNode = 100_000;
/** More than any of them writes in a test. */
const endless = 1_000_000;
const timeoutMs = 60_000;
const planMs = 400;

/** Processes that write without a pause, each its own transactions. They are there, and all write. */
async function flood(url: string, pool: string, count: number) {
  const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs });
  const nodes = numbers(count).map((n) => start('./priority/admitter.ts', [url, pool, n * perNode, endless]));
  const firsts = nodes.map((_, i) => hashOf(2 + (i + 1) * perNode));
  await vi.waitFor(
    async () => {
      const statuses = await store.status(firsts);
      expect(statuses.map(({ stage }) => stage)).toEqual(firsts.map(() => 'Pending'));
    },
    { timeout: 120_000 },
  );
  return { store, nodes };
}

async function allPending(store: Mempool): Promise<StoredTransaction[]> {
  const all: StoredTransaction[] = [];
  for (let page = await store.peekPending(); ; page = await store.peekPending({ after: page.next })) {
    if (page.transactions.length === 0) return all;
    all.push(...page.transactions);
  }
}

test('N1: of eight nodes that write without a pause none is left behind, and no call fails', {
  timeout: 300_000,
}, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store, nodes } = await flood(url, pool, 8);
  const { lastSeq } = await store.usage();
  const counted = 60 * nodes.length;
  await vi.waitFor(async () => expect((await store.usage()).lastSeq).toBeGreaterThan(lastSeq + counted), 200_000);
  for (const { exitCode } of nodes) expect(exitCode).toBe(null);
  for (const node of nodes) node.kill('SIGKILL');
  const own = nodes.map(() => 0);
  for (const { hash, seq } of await allPending(store)) {
    if (seq <= lastSeq || seq > lastSeq + counted) continue;
    const node = Math.floor((Number.parseInt(hash, 16) - 2) / perNode) - 1;
    own[node] = (own[node] ?? 0) + 1;
  }
  expect(Math.min(...own) / Math.max(...own)).toBeGreaterThanOrEqual(0.3);
});

test('N1, X6: a leader applies block after block among nodes that write without a pause', {
  timeout: 300_000,
}, async () => {
  const [url, pool, blocks] = [inject('redisUrl'), randomUUID(), 10];
  const { store, nodes } = await flood(url, pool, 3);
  const attempts = vi.spyOn(Committer.prototype, 'attempt');
  // Each takes long to plan.
  const seen = numbers(20_000, 200_000_000).map(hashOf);
  for (const n of numbers(blocks))
    expect(await store.confirm({ point: point(n), seen, unseen: [] })).toMatchObject({ kind: 'applied' });
  // Without a ticket a commit fits between two of the others' by chance only.
  expect(attempts.mock.calls.length).toBeLessThanOrEqual(4 * blocks);
  attempts.mockRestore();
  for (const { exitCode } of nodes) expect(exitCode).toBe(null);
});

test('N1, X5: nodes go on when one that has the ticket is killed', { timeout: 300_000 }, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store, nodes } = await flood(url, pool, 4);
  const admin = operator(url);
  const ticket = () => admin.hget(`{${pool}}:meta`, 'ticket');
  const signal = (name: NodeJS.Signals) => nodes.map((node) => node.kill(name));
  await vi.waitFor(
    async () => {
      signal('SIGSTOP');
      // The server may still work on what they sent.
      await store.usage();
      await ticket().then((left) => left ?? Promise.reject(signal('SIGCONT')));
    },
    { timeout: 120_000, interval: 20 },
  );
  signal('SIGKILL');
  const left = await ticket();
  expect(left).not.toBe(null);
  expect(await store.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
  const node = mirrorNode(url, pool);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('N1: a node that must load a large pool writes among nodes that write without a pause', {
  timeout: 300_000,
}, async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store: filler } = await openPool({ url, pool, ordering: 'priority', maxTxs: endless, timeoutMs });
  for (const n of numbers(20))
    await filler.receive(numbers(1_000, 200_000_000 + 1_000 * n).map((each) => priced(each)));
  const { store: idle } = await openPool({ url, pool, ordering: 'priority', timeoutMs });
  const { nodes } = await flood(url, pool, 3);
  await operator(url).del(`{${pool}}:changes`);
  expect(await idle.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
  for (const { exitCode } of nodes) expect(exitCode).toBe(null);
});

/** A call of `receive` of one transaction. */
function calling(n: number): WriteCall<unknown> {
  const unbounded = { senderLimit: null, expiresAt: null, expiresAtHeight: null, propagate: true };
  const verdict = { priority: BigInt(n), sender: '', gas: 0, provides: [], requires: [], ...unbounded };
  const submissions = [{ ...transaction(n), from: null, verdict }];
  const thresholds = { finalizeThreshold: 6, dropThreshold: 2 };
  const plan = receivePlan({ submissions, moment: { now: null, height: null }, thresholds });
  const state = { sent: new Map(), refusals: 0, reloads: false };
  const context = { digest: undefined, signal: undefined };
  return {
    script: 'commit',
    verb: 'receive',
    fence: ['', '', '', ''],
    plan,
    id: `${n}`,
    ids: 'ops',
    ...context,
    ...state,
  };
}

/** The same call, but it takes so long to plan that its ticket is valid for long. */
function slow(call: WriteCall<unknown>): WriteCall<unknown> {
  return {
    ...call,
    plan: (pool, nowMs) => {
      for (const end = performance.now() + planMs; performance.now() < end; );
      return call.plan(pool, nowMs);
    },
  };
}

/** Two nodes, of which a test makes each attempt. */
async function twoNodes() {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  await openPool({ url, pool, ordering: 'priority' });
  const admin = operator(url);
  const nodes = [0, 1].map((n) => {
    const link = new MirrorSync(poolNode(url, pool));
    return { link, committer: new Committer(link, `node ${n}`) };
  });
  const deadline = performance.now() + timeoutMs;
  for (const { link } of nodes) await vi.waitFor(() => link.load(), timeoutMs);
  return {
    admin,
    key: (name: string) => `{${pool}}:${name}`,
    /** What became of one attempt of each call, at this node. */
    attempt: (node: number, call: WriteCall<unknown>) =>
      (nodes[node] as (typeof nodes)[number]).committer.attempt(call, deadline).then(({ kind }) => kind),
    /** From when to when the ticket is valid, and whose it is. */
    ticket: async () => {
      const left = await admin.hget(`{${pool}}:meta`, 'ticket');
      const [, from, till, holder] = /^(\d+) (\d+) (.*)$/.exec(left ?? '') ?? [];
      return left === null ? null : { ms: Number(till) - Number(from), holder };
    },
  };
}

test('N1: a commit that is refused twice leaves a ticket; until its node has written, commits of others are refused', async () => {
  const { attempt, ticket } = await twoNodes();
  const late = slow(calling(100));
  for (const n of numbers(2)) {
    expect(await ticket()).toBe(null);
    expect(await attempt(0, calling(n))).toBe('done');
    expect(await attempt(1, late)).toBe('behind');
  }
  expect(await ticket()).toMatchObject({ holder: 'node 1' });
  const blocked = calling(3);
  expect(await attempt(0, blocked)).toBe('blocked');
  expect(await attempt(1, late)).toBe('done');
  expect(await ticket()).toBe(null);
  expect(await attempt(0, blocked)).toBe('behind');
  expect(await attempt(0, blocked)).toBe('done');
});

test('N1: the ticket of a node that must load the pool is valid longer, once', async () => {
  const { attempt, ticket, admin, key } = await twoNodes();
  const late = { ...calling(100), refusals: 1 };
  const lengths: (number | undefined)[] = [];
  for (const n of numbers(2)) {
    // The ticket has ended.
    await admin.hdel(key('meta'), 'ticket');
    await attempt(0, calling(2 * n));
    await attempt(0, calling(2 * n + 1));
    await admin.del(key('changes'));
    expect(await attempt(1, late)).toBe('behind');
    lengths.push((await ticket())?.ms);
  }
  expect(lengths[0]).toBe(2_000);
  expect(lengths[1]).toBeLessThan(2_000);
});

test('a ticket that was left before the clock of the server went back holds nobody up', async () => {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool, ordering: 'priority', timeoutMs: 20_000 });
  const later = Date.now() + 3_600_000;
  await operator(url).hset(`{${pool}}:meta`, 'ticket', `${later} ${later + 1_000} gone`);
  expect(await store.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
});
