import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Redis } from 'ioredis';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { BareRankedMap } from '../src/limits/ranked-map.ts';
import { redisRankings } from '../src/limits/ranked-redis.ts';
import { tableRanking } from '../src/limits/ranked-table.ts';
import type { RankingLimit } from '../src/limits/ranking.ts';
import { FilledRanking } from '../src/workloads/filled-ranking.ts';
import { type Priced, pricedTransactions } from '../src/workloads/ranked-sample.ts';
import { Standings } from '../src/workloads/standings.ts';

interface Held {
  readonly hash: string;
  readonly priority: bigint;
  readonly payload: Buffer;
}

/** A ranking, and a look at what it holds that does not go through it. */
interface Subject {
  readonly limit: RankingLimit;
  held(): Promise<Held[]>;
}

function inMemory(): Subject {
  const map = new BareRankedMap();
  return { limit: { name: 'map', open: async () => map }, held: async () => [...map.records.values()] };
}

function inFile(): Subject {
  const folder = mkdtempSync(join(tmpdir(), 'mempool-benchmark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const held = async () => readdirSync(folder).flatMap((name) => rowsIn(join(folder, name, 'bare.db')));
  return { limit: tableRanking(folder), held };
}

function rowsIn(path: string): Held[] {
  const db = new Database(path, { readonly: true });
  const rows = db.prepare('SELECT lower(hex(hash)) AS hash, priority, payload FROM tx').safeIntegers().all() as Held[];
  db.close();
  return rows;
}

function onServer(place: number): Subject {
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(() => leave(redis));
  return { limit: redisRankings(redis)[place] as RankingLimit, held: () => keysOf(redis) };
}

const prefix = `bare-ranking:${process.pid}:`;

/** What a test that failed left must not fail the next. */
async function leave(redis: Redis): Promise<void> {
  const keys = await redis.keysBuffer(`${prefix}*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
}

/** Every payload has its place in the sorted set, and every place its payload. */
async function keysOf(redis: Redis): Promise<Held[]> {
  const keys = await redis.keysBuffer(`${prefix}*`);
  const order = keys.find((key) => key.toString('latin1').endsWith(':order'));
  if (order === undefined) return keys.map(() => expect.unreachable('a payload without a sorted set'));
  const held: Held[] = [];
  for (const key of keys.filter((one) => one !== order)) {
    const member = key.subarray(order.length - 'order'.length);
    const priority = BigInt((await redis.zscore(order, member)) ?? expect.unreachable('a payload without a place'));
    held.push({ hash: member.toString('hex'), priority, payload: (await redis.getBuffer(key)) as Buffer });
  }
  expect(await redis.zcard(order)).toBe(held.length);
  return held;
}

function heldOf(transactions: readonly Priced[]): Held[] {
  return transactions.map(({ hash, payload, verdict: { priority } }) => ({
    hash,
    priority,
    payload: Buffer.from(payload),
  }));
}

function bestFirst(held: readonly Held[]): Held[] {
  return held.map(({ hash, priority, payload }) => ({ hash, priority, payload })).sort(byPriority);
}

function byPriority(a: Held, b: Held): number {
  return a.priority > b.priority ? -1 : 1;
}

describe.each([
  ['Map with a heap', inMemory],
  ['indexed table', inFile],
  ['sorted set with pipelined commands', () => onServer(0)],
  ['sorted set with a Lua script', () => onServer(1)],
])('the bare %s', (_, subject) => {
  test('takes newcomers in for the worst, as many as before, and leaves nothing behind', async () => {
    const { limit, held } = subject();
    const ranking = await limit.open();
    const first = pricedTransactions(20);
    await ranking.fill(first);
    const before = bestFirst(heldOf(first));
    expect(bestFirst(await held())).toEqual(before);
    const newcomers = new Standings(before.map(({ priority }) => priority)).better(7);
    await ranking.admit(newcomers);
    expect(bestFirst(await held())).toEqual(bestFirst([...before.slice(0, 13), ...heldOf(newcomers)]));
    await ranking.close();
    expect(await held()).toEqual([]);
  });

  test('gets newcomers each of which is let in, time after time, when it is filled', async () => {
    const { limit, held } = subject();
    const ranking = await FilledRanking.fill(limit, 40);
    for (let turn = 0; turn < 5; turn++) {
      const before = bestFirst(await held());
      const { count, run, undo } = ranking.evicting(10, 3);
      await run();
      await undo?.();
      const after = await held();
      const known = new Set(before.map(({ hash }) => hash));
      expect([count, before.length, after.length]).toEqual([10, 40, 40]);
      expect(bestFirst(after.filter(({ hash }) => known.has(hash)))).toEqual(before.slice(0, 30));
    }
    await ranking.close();
  });
});

test('a Map with a heap takes in nothing that no store takes in, and nothing twice', () => {
  const map = new BareRankedMap();
  const [first, second] = pricedTransactions(2) as [Priced, Priced];
  map.fill([first]);
  map.admit([first]);
  expect([...map.records.keys()]).toEqual([first.hash]);
  expect(() => map.admit([{ ...second, hash: second.hash.toUpperCase() }])).toThrow(TypeError);
});
