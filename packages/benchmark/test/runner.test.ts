import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { scratchFolder } from 'mempool-testkit/vitest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inTurn, type Measure, take } from '../src/goals/measure.ts';
import { backendOf } from '../src/limits/backend.ts';
import { contestSeries, rotated, takeTurns } from '../src/runner/contest.ts';
import { readOptions } from '../src/runner/options.ts';
import { type Pace, paceOf } from '../src/runner/pace.ts';
import { WriteAheadLogs } from '../src/runner/write-ahead-logs.ts';
import { rowsIn } from './sample-result.ts';

const onlyPass = { index: 0, count: 1 };

describe('the options of a run', () => {
  test.each([
    [[], { sizes: [1_000, 100_000], backends: ['ephemeral', 'sqlite', 'redis'], passes: 3, whole: true }],
    [['--full'], { sizes: [1_000, 100_000, 1_000_000], passes: 1, whole: true }],
    [['--full', '--passes', '3'], { passes: 3, whole: false }],
    [['--only', 'redis'], { backends: ['redis'], whole: false }],
    [['--n', '50000'], { sizes: [1_000, 50_000], whole: false }],
    [['--n', '100'], { sizes: [10, 100], whole: false }],
    [['--rounds', '2'], { rounds: 2, passes: 2, whole: false }],
    [['--passes', '1'], { passes: 1, whole: false }],
    [['--row', 'status'], { row: 'status', whole: false }],
    [['--subject', 'a.ts'], { subject: 'a.ts', whole: false }],
    [['--against', 'another-checkout'], { against: 'another-checkout', whole: false }],
    [['--check', 'stored.json', '--out', 'a-folder'], { check: 'stored.json', out: 'a-folder', whole: true }],
  ])('%j', (given, options) => {
    expect(readOptions(given)).toMatchObject(options);
  });

  test.each([
    ['--only', 'another'],
    ['--n', 'many'],
    ['--n', '1.5'],
    ['--n', '-5'],
    ['--rounds', '0'],
    ['--passes', '0'],
    ['--n', '5000', '--full'],
    ['--subject', 'a.ts', '--against', 'another-checkout'],
    ['--unknown'],
  ])('refuse %s %s', (...given) => {
    expect(() => readOptions(given)).toThrow(Error);
  });
});

describe('the pace of a row', () => {
  test('shares its rounds among the passes, and has at least seven', () => {
    const rounds = (asked: number | undefined, index: number, count: number) =>
      paceOf('heap', { rounds: asked, pass: { index, count } }).rounds;
    expect([0, 1, 2].map((index) => rounds(8, index, 3))).toEqual([3, 3, 2]);
    expect(rounds(undefined, 0, 1)).toBeGreaterThanOrEqual(7);
  });

  test('has every turn once and no warm-up in a single round', () => {
    expect(paceOf('heap', { rounds: 1, pass: onlyPass })).toMatchObject({ rounds: 1, warmMs: 0, coldMs: 0, turnMs: 0 });
  });
});

describe('turns', () => {
  const names = ['a', 'b', 'c'];
  const pace: Pace = { warmMs: 0, longestWarmMs: 60_000, turnMs: 0, coldMs: 0, longestTurnMs: 60_000, rounds: 6 };

  /** Each turn costs as much as turns came before it, all participants counted. */
  async function played(given: Partial<Pace>) {
    const order: string[] = [];
    const turn = async (name: string) => ({ cost: order.push(name) - 1, measuredMs: 10 });
    const participants = names.map((name) => ({ name, turn: () => turn(name) }));
    return { costs: await takeTurns(participants, { ...pace, ...given }), order };
  }

  test('come to every participant once in every round', async () => {
    const { order } = await played({});
    for (let round = 0; round < 6; round++) expect(order.slice(round * 3, round * 3 + 3).toSorted()).toEqual(names);
    expect(order).toHaveLength(18);
  });

  test.each([2, 3, 4, 5])('begin with another of %d participants each round', (count) => {
    const participants = Array.from({ length: count }, (_, i) => i);
    expect(new Set(participants.map((round) => rotated(participants, round)[0]))).toEqual(new Set(participants));
  });

  test('give no participant the same one before it in every round', () => {
    const orders = Array.from({ length: 6 }, (_, round) => rotated(names, round));
    expect(new Set(orders.map((order) => order[order.indexOf('b') - 1]))).toEqual(new Set(['a', 'c', undefined]));
  });

  test('of the warm-up go on until each participant was measured for long enough, and do not count', async () => {
    const { costs, order } = await played({ rounds: 1, warmMs: 25 });
    expect(order).toHaveLength(12);
    expect([...costs.values()].flat().toSorted((a, b) => a - b)).toEqual([9, 10, 11]);
  });
});

describe('a measure', () => {
  const measure = (values: number[], given: Partial<Measure> = {}): Measure => ({
    ...{ backend: 'none', title: 'given values', goal: { kind: 'at least', value: 2 }, unit: '×' },
    rounds: values.length - 1,
    sample: async () => values.shift() ?? Number.NaN,
    ...given,
  });

  test('throws its first round away', async () => {
    expect((await take(measure([100, 3, 1, 2]), { rounds: undefined, pass: onlyPass })).values).toEqual([3, 1, 2]);
  });

  test.each([
    ['is a ratio, its share of the rounds in each pass', '×', [3, 3, 2]],
    ['is none, all rounds in the first', 'ms', [8, 0, 0]],
  ] as const)('has, where it %s', async (_, unit, expected) => {
    const rounds = async (index: number) => {
      const pass = { index, count: 3 };
      return (await take(measure([1, 2, 3, 4, 5, 6, 7, 8, 9], { unit }), { rounds: undefined, pass })).values.length;
    };
    expect([await rounds(0), await rounds(1), await rounds(2)]).toEqual(expected);
  });

  test('takes both sides in an order that changes with the round', async () => {
    const order: string[] = [];
    const run = (name: string, milliseconds: number) => async () => {
      order.push(name);
      return milliseconds;
    };
    const ratios = [await inTurn(0, run('a', 1), run('b', 2)), await inTurn(1, run('a', 1), run('b', 2))];
    expect([order, ratios]).toEqual([
      ['a', 'b', 'b', 'a'],
      [0.5, 0.5],
    ]);
  });
});

describe('write-ahead logs', () => {
  function opened(folder: string, name: string): Database.Database {
    const database = new Database(join(folder, name));
    database.pragma('journal_mode = WAL');
    database.exec('BEGIN; CREATE TABLE note (count REAL); INSERT INTO note VALUES (0.5); COMMIT');
    onTestFinished(() => void database.close());
    return database;
  }
  /** One frame. A row more would be several where it needs a page more. */
  const write = (database: Database.Database) => database.exec('UPDATE note SET count = count + 1');
  /** Frames that are in the log and not in the file. */
  const unwritten = (database: Database.Database): number => {
    const [frames] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
    return frames.log - frames.checkpointed;
  };

  test('get their checkpoint wherever they lie in the folder, and the time of it is told', () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'deep'));
    const both = [opened(folder, 'one.db'), opened(folder, join('deep', 'other.db'))] as const;
    const logs = new WriteAheadLogs(folder);
    onTestFinished(() => logs.close());
    expect(both.map(unwritten)).toEqual([2, 2]);
    logs.settle();
    expect(both.map(unwritten)).toEqual([0, 0]);
    write(both[1]);
    const atReading: number[][] = [];
    expect(logs.checkpoint(() => atReading.push(both.map(unwritten)))).toBe(1);
    expect(atReading).toEqual([
      [0, 1],
      [0, 0],
    ]);
  });

  test('hold nothing of others when a turn begins, and nothing of the turn behind it', async () => {
    const folder = scratchFolder();
    const database = opened(folder, 'one.db');
    const found: number[] = [];
    const prepare = () => {
      write(database);
      const run = () => {
        found.push(unwritten(database));
        write(database);
      };
      return { count: 1, run, undo: () => write(database) };
    };
    const context = { folder, sizes: [1], rounds: 3, row: undefined, pass: onlyPass, redis: null };
    const { place, logs } = await backendOf('sqlite', context);
    expect(logs).toBe(folder);
    const head = { backend: 'sqlite', id: 'one', title: 'one', per: 'transaction', unit: 'µs' } as const;
    const series = await contestSeries(head, [{ n: 1, ours: prepare, rivals: [] }], { place, logs: folder }, context);
    expect(rowsIn([series.costs])[0]?.cost.rounds).toBe(3);
    expect(new Set(found)).toEqual(new Set([0]));
    expect(unwritten(database)).toBe(1);
  });
});

test('Redis without a server is refused', async () => {
  const context = { folder: scratchFolder(), sizes: [10], rounds: 1, row: undefined, pass: onlyPass, redis: null };
  await expect(backendOf('redis', context)).rejects.toThrow(Error);
});
