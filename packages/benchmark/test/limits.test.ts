import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Redis } from 'ioredis';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { BareRanking, Limit } from '../src/limits/limit.ts';
import { BareIndex, BareMap, BareRankedMap } from '../src/limits/memory.ts';
import { redisLimits, redisRankings } from '../src/limits/redis.ts';
import { bareTable, tableLimit, tableRanking } from '../src/limits/table.ts';
import { freshTransactions, hashesOf, type Priced, pricedTransactions, Standings } from '../src/setup/samples.ts';
import { fillRanking } from '../src/workloads/pools.ts';
import { bareEviction } from '../src/workloads/priority.ts';

const transactions = freshTransactions(10);
const hashes = hashesOf(transactions);
const payloads = transactions.map(({ payload }) => Buffer.from(payload));

/** A client whose keys are removed afterwards, also those of a test that failed: others use the server. */
function connected(keys: string): Redis {
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(async () => {
    for (const key of await redis.keysBuffer(keys)) await redis.del(key);
    redis.disconnect();
  });
  return redis;
}

describe('the bare Map', () => {
  test('copies payloads, gives copies back, and pages through the appended ones', () => {
    const map = new BareMap();
    map.insert(transactions);
    map.append(transactions);
    expect(map.read(hashes)).toEqual(payloads);
    map.remove(hashes.slice(1));
    expect(map.read(hashes)).toEqual([payloads[0], ...Array(9).fill(null)]);
    expect([...map.page(0, 6), ...map.page(6, 6)]).toEqual(payloads);
  });

  test.each([
    ['is too long', 'ab'.repeat(65)],
    ['has a digit that is none', `${'0'.repeat(63)}g`],
    ['has upper-case digits', 'AB'.repeat(32)],
  ])('refuses a transaction whose hash %s, as every store does', (_, hash) => {
    const [first] = pricedTransactions(1) as [Priced];
    expect(() => new BareMap().insert([{ ...first, hash }])).toThrow(TypeError);
    expect(() => new BareRankedMap().fill([{ ...first, hash }])).toThrow(TypeError);
  });
});

test('the bare index gives copies of the first ones, the highest priority first', () => {
  const index = new BareIndex(50);
  const priorities = index.walk(20).map(({ priority }) => priority);
  expect(priorities).toEqual(priorities.toSorted((a, b) => (a > b ? -1 : 1)));
  expect([priorities.length, index.walk(60).length]).toEqual([20, 50]);
  expect(index.walk(1)[0]).not.toBe(index.walk(1)[0]);
});

describe('the bare table', () => {
  test('keeps its records when it is shut and opened again, and refuses a hash that it has', () => {
    const table = bareTable(scratchFolder());
    table.insert(transactions);
    expect(() => table.insert(transactions)).toThrow(Database.SqliteError);
    table.update(hashes.slice(0, 4));
    table.shut?.();
    table.reopen?.();
    expect(table.look(hashes)).toEqual(hashes.map((_, i) => ({ stage: i < 4 ? 1 : 0 })));
    table.remove(hashes.slice(0, 9));
    expect(table.page(0, 100)).toHaveLength(1);
    table.close();
  });

  test.each([
    ['can be read by stage in order of arrival where rows are held against it', tableLimit, /COVERING INDEX tx_stage/],
    ['is plain for the goals', (folder: string) => ({ open: async () => bareTable(folder) }), /^SCAN tx$/],
  ])('%s', async (_, limit, plan) => {
    const folder = scratchFolder();
    const bare = await limit(folder).open();
    const database = new Database(join(folder, readdirSync(folder)[0] as string, 'bare.db'), { readonly: true });
    const asked = 'EXPLAIN QUERY PLAN SELECT seq FROM tx WHERE stage = 0 ORDER BY seq LIMIT 100';
    expect((database.prepare(asked).all() as { detail: string }[]).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(plan),
    ]);
    database.close();
    await bare.close();
  });
});

test.each([0, 1])(
  'the bare Redis structure %d keeps every stage in order of arrival, as a store must',
  async (which) => {
    const keys = `bare:${process.pid}:*`;
    const redis = connected(keys);
    const bare = await redisLimits(redis, inject('redisUrl'))[which]?.open();
    await bare?.fill?.(transactions.slice(0, 6));
    await bare?.fill?.(transactions.slice(6));
    const order = async () => {
      const [key] = await redis.keysBuffer(`${keys}places`);
      return (await redis.zrangeBuffer(key as Buffer, '0', '-1')).map((member) =>
        hashes.indexOf(member.toString('hex')),
      );
    };
    expect(await order()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await bare?.update([7, 0, 4].map((i) => hashes[i] as string));
    expect(await order()).toEqual([1, 2, 3, 5, 6, 8, 9, 0, 4, 7]);
    await bare?.remove(hashes.slice(1));
    expect(await order()).toEqual([0]);
    expect(await redis.keysBuffer(keys)).toHaveLength(2);
  },
);

interface Held {
  readonly hash: string;
  readonly priority: bigint;
  readonly payload: Buffer;
}

/** A ranking, and what it holds, read in another way. */
interface Subject {
  readonly limit: Limit<BareRanking>;
  held(): Promise<Held[]>;
}

function inMemory(): Subject {
  const map = new BareRankedMap();
  return { limit: { name: 'map', open: async () => map }, held: async () => [...map.records.values()] };
}

function inFile(): Subject {
  const folder = scratchFolder();
  const rowsOf = (name: string): Held[] => {
    const db = new Database(join(folder, name, 'bare.db'), { readonly: true });
    const select = db.prepare('SELECT lower(hex(hash)) AS hash, priority, payload FROM tx');
    const rows = select.safeIntegers().all() as Held[];
    db.close();
    return rows;
  };
  return { limit: tableRanking(folder), held: async () => readdirSync(folder).flatMap(rowsOf) };
}

function onServer(which: number): Subject {
  const keys = `bare-ranking:${process.pid}:*`;
  const redis = connected(keys);
  /** Every payload has its place in the sorted set, and every place its payload. */
  const held = async (): Promise<Held[]> => {
    const found = await redis.keysBuffer(keys);
    const order = found.find((key) => key.toString('latin1').endsWith(':order'));
    const all: Held[] = [];
    for (const key of found.filter((one) => one !== order)) {
      const member = key.subarray((order?.length ?? 0) - 'order'.length);
      const priority = await redis.zscore(order ?? expect.unreachable('no sorted set'), member);
      const payload = (await redis.getBuffer(key)) as Buffer;
      all.push({ hash: member.toString('hex'), priority: BigInt(priority ?? -1), payload });
    }
    expect(order === undefined ? 0 : await redis.zcard(order)).toBe(all.length);
    return all;
  };
  return { limit: redisRankings(redis)[which] as Limit<BareRanking>, held };
}

function bestFirst(held: readonly Held[]): Held[] {
  const plain = held.map(({ hash, priority, payload }) => ({ hash, priority, payload: Buffer.from(payload) }));
  return plain.sort((a, b) => (a.priority > b.priority ? -1 : 1));
}

function heldOf(priced: readonly Priced[]): Held[] {
  return priced.map(({ hash, payload, verdict: { priority } }) => ({ hash, priority, payload: Buffer.from(payload) }));
}

describe.each([
  ['Map with a heap', inMemory],
  ['indexed table', inFile],
  ['sorted set with pipelined commands', () => onServer(0)],
  ['sorted set with a Lua script', () => onServer(1)],
])('the bare %s', (_, subject) => {
  test('admits newcomers in place of the worst, and leaves nothing behind', async () => {
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

  test('admits every newcomer that is made for it, turn after turn', async () => {
    const { limit, held } = subject();
    const ranking = await fillRanking(limit, 40);
    for (let turn = 0; turn < 5; turn++) {
      const before = bestFirst(await held());
      const { count, run, undo } = bareEviction(ranking, 10, 3);
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

test('a Map with a heap admits nothing twice', () => {
  const map = new BareRankedMap();
  const first = pricedTransactions(1);
  map.fill(first);
  map.admit(first);
  expect([...map.records.keys()]).toEqual(hashesOf(first));
});
