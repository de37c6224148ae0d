import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { scratchFolder } from 'mempool-testkit/vitest';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Aftermath, cutRows, judge, startCutProxy } from '../src/peers/cuts.ts';
import { installPeers } from '../src/peers/install.ts';
import { original } from '../src/peers/original.ts';
import { ourBackend, ours, oursByPriority } from '../src/peers/ours.ts';
import type { Peer } from '../src/peers/peer.ts';
import { cutTable, lackList, peerGoals, speedTable } from '../src/peers/report.ts';
import { peerMeasures } from '../src/peers/speeds.ts';
import { type BenchServer, startServer } from '../src/setup/redis-server.ts';
import { freshTransactions, hashesOf } from '../src/setup/samples.ts';
import { sampleGoal } from './sample-result.ts';

const steps = ['add', 'in flight', 'confirm'];

afterAll(async () => {
  const client = new Redis(inject('redisUrl'));
  for (const match of [`*cut-${process.pid}-*`, 'original-*'])
    for await (const keys of client.scanStream({ match, count: 1_000 })) if (keys.length > 0) await client.unlink(keys);
  client.disconnect();
});

describe('cut connections', () => {
  const rowsOf = (peer: Peer) =>
    cutRows({ redisUrl: inject('redisUrl'), folder: '', cuts: 12, seed: 7, peers: [peer] });

  test('double in a design that repeats a command, and in the same trials each time', async () => {
    const rows = await rowsOf(original);
    expect(rows).toMatchObject(steps.map((step) => ({ kind: 'counted', step })));
    const [add] = rows;
    expect(add).toMatchObject({ cuts: 12, doubled: expect.any(Number), lost: 0, unknown: 0 });
    expect(add?.kind === 'counted' && add.doubled).toBeGreaterThan(0);
    expect(await rowsOf(original)).toEqual(rows);
  });

  test('double and lose nothing in ours, and the caller knows what was done', async () => {
    const peer = ours(await ourBackend('redis'));
    const right = { kind: 'counted', peer: peer.name, cuts: 12, doubled: 0, lost: 0, unknown: 0 };
    expect(await rowsOf(peer)).toEqual(steps.map((step) => ({ ...right, step })));
  });

  test('leave a row with the reason where a peer cannot be run', async () => {
    const open = async () => expect.unreachable('nowhere to be found');
    const rows = await rowsOf({ name: 'absent', package: 'absent', lacks: '', open });
    const row = { kind: 'not run', peer: 'absent', reason: expect.stringContaining('nowhere to be found') };
    expect(rows).toEqual(steps.map((step) => ({ ...row, step })));
  });
});

// Waiting, in flight and done; the step was asked for `a`.
test.each([
  ['one copy added is right', 'add', 'a', 'a | |', ''],
  ['two copies are doubled', 'add', 'a', 'a a | |', 'doubled'],
  ['none is lost', 'add', 'a', '| |', 'lost'],
  ['an error leaves the caller without knowledge', 'add', null, 'a | |', 'unknown'],
  ['one taken and told is right', 'in flight', 'a', 'b | a |', ''],
  ['another taken and told is right: a queue chooses', 'in flight', 'b', 'a | b |', ''],
  ['two taken for one call are doubled, and one is held by nobody', 'in flight', 'b', '| a b |', 'doubled lost'],
  ['one that is in no list is lost', 'in flight', 'b', '| b |', 'lost'],
  ['one in two lists is doubled', 'in flight', 'a', 'a b | a |', 'doubled'],
  ['nothing taken though the caller was answered is lost', 'in flight', '', 'a b | |', 'lost'],
  ['one confirmed is right, kept or not', 'confirm', 'a', '| b |', ''],
  ['one still in flight is lost', 'confirm', 'a', '| a b |', 'lost'],
  ['another confirmed beside it is lost', 'confirm', 'a', '| | a b', 'lost'],
  ['one still in flight after an error is not known', 'confirm', null, '| a b |', 'unknown'],
] as const)('after a cut, %s', (_, step, told, stages, flags) => {
  const words = (text: string) => text.split(' ').filter((word) => word !== '');
  const [waiting, inflight, done] = stages.split('|').map(words) as [string[], string[], string[]];
  const hashes = step === 'add' ? ['a'] : ['a', 'b'];
  const answer = told === null ? null : words(told);
  const aftermath: Aftermath = { step, hashes, told: answer, census: { waiting, inflight, done } };
  const set = Object.entries(judge(aftermath)).filter(([, value]) => value);
  expect(set.map(([flag]) => flag)).toEqual(words(flags));
});

describe("the original design's commands", () => {
  async function opened(url = inject('redisUrl'), name = `original-${randomUUID()}`) {
    const store = await original.open({ folder: '', url, name });
    onTestFinished(async () => void (await store.close()));
    return { store, name };
  }
  async function watched(name: string) {
    const proxy = await startCutProxy(inject('redisUrl'));
    onTestFinished(() => proxy.close());
    return { proxy, store: (await opened(proxy.url, name)).store };
  }

  test('take a transaction through its stages, and keep one of two with the same hash', async () => {
    const { store } = await opened();
    const transactions = freshTransactions(3);
    const hashes = hashesOf(transactions);
    await store.add(transactions);
    await store.add(transactions);
    expect(await store.census?.()).toEqual({ waiting: hashes, inflight: [], done: [] });
    expect(await store.take(hashes.slice(0, 2))).toEqual(hashes.slice(0, 2));
    await store.confirm(hashes.slice(0, 1));
    expect(await store.census?.()).toEqual({ waiting: [hashes[2]], inflight: [hashes[1]], done: [hashes[0]] });
  });

  test('rewrite every record in flight for a block, with a command for each', async () => {
    const { store, name } = await opened();
    const transactions = freshTransactions(5);
    await store.add(transactions);
    await store.take(hashesOf(transactions));
    const { proxy, store: other } = await watched(name);
    proxy.arm(0);
    await other.confirm([]);
    expect(proxy.state.replies).toBeGreaterThanOrEqual(1 + transactions.length);
    const client = new Redis(inject('redisUrl'));
    const records = Object.values(await client.hgetall(`${name}:inflight`)).map((text) => JSON.parse(text));
    client.disconnect();
    expect(records.map(({ nonConfirmations }) => nonConfirmations)).toEqual([1, 1, 1, 1, 1]);
  });

  test('double a transaction whose RPUSH was answered to nobody', async () => {
    const { store: witness, name } = await opened();
    const { proxy, store } = await watched(name);
    const transactions = freshTransactions(1);
    // LPOS, HGET, RPUSH.
    proxy.arm(3);
    await store.add(transactions);
    const [hash] = hashesOf(transactions);
    expect(proxy.state.isCut).toBe(true);
    expect(await witness.census?.()).toMatchObject({ waiting: [hash, hash] });
  });
});

test('ours by priority takes the highest price first, whatever it is asked for, and confirms it', async () => {
  const store = await oursByPriority(await ourBackend('ephemeral')).open({ folder: '', url: '', name: randomUUID() });
  onTestFinished(async () => void (await store.close()));
  const transactions = freshTransactions(20).map((transaction, i) => ({
    ...transaction,
    hash: `${transaction.hash.slice(0, -8)}${i.toString(16).padStart(8, '0')}`,
  }));
  await store.prepare?.(transactions);
  await store.add(transactions);
  const taken = await store.take(hashesOf(transactions).slice(0, 5));
  expect(taken.map((hash) => Number.parseInt(hash.slice(-8), 16))).toEqual([19, 18, 17, 16, 15]);
  expect(await store.confirm(taken)).toMatchObject({ kind: 'applied', confirmed: 5 });
});

describe('the speeds against peers', () => {
  let server: BenchServer | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'mempool-peers-'));
  const measuresOf = (longestRoundMs = 60_000) => peerMeasures({ redisUrl: server?.url ?? '', folder, longestRoundMs });

  beforeAll(async () => {
    server = await startServer(folder);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('have a title each, by which a stored run finds them', async () => {
    const titles = (await measuresOf()).map(({ backend, title }) => `${backend}: ${title}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('are a ratio in every round, whichever of the two begins', async () => {
    for (const measure of (await measuresOf()).filter(({ peer }) => peer.package === null))
      for (const round of [0, 1]) expect(await measure.sample(round)).toBeGreaterThan(0);
  });

  test('stop where a round takes too long, and fail where the peer is not installed', async () => {
    const late = (await measuresOf(-1)).filter(({ peer }) => peer.package === null);
    const missing = (await measuresOf()).filter(
      ({ peer, title }) => peer.package !== null && title.includes('n = 1,000'),
    );
    expect(Math.min(late.length, missing.length)).toBeGreaterThan(0);
    for (const measure of [...late, ...missing]) await expect(measure.sample(0)).rejects.toThrow();
  });
});

describe('installing the peers', () => {
  /** A folder with a package that needs `packages`, locked. */
  function locked(home: string, name: string, packages: Record<string, string>): string {
    const head = { name: 'peers', version: '0.0.0', dependencies: packages };
    const entries = Object.entries(packages).map(([each, version]) => [`node_modules/${each}`, { version }]);
    const lock = { ...head, lockfileVersion: 3, packages: { '': head, ...Object.fromEntries(entries) } };
    mkdirSync(join(home, name));
    writeFileSync(join(home, name, 'package.json'), JSON.stringify(head));
    writeFileSync(join(home, name, 'package-lock.json'), JSON.stringify(lock));
    return join(home, name);
  }

  test('says in one line why a package cannot be had, and tries again the next time', async () => {
    const home = scratchFolder();
    const from = locked(home, 'unreachable', { 'bee-queue': '2.0.0' });
    const offline = ['--offline', '--cache', join(home, 'cache')];
    for (let i = 0; i < 2; i++)
      expect(await installPeers(join(home, 'missing'), from, offline)).toMatch(/^npm ci failed: .+$/);
  });

  test('is done once for a lockfile, and again when that has changed', async () => {
    const home = scratchFolder();
    const offline = ['--offline', '--cache', join(home, 'cache')];
    const folder = join(home, 'installed');
    const from = locked(home, 'empty', {});
    expect(await installPeers(folder, from, offline)).toBeNull();
    const mark = join(folder, 'installed.json');
    const first = statSync(mark).mtimeMs;
    expect(await installPeers(folder, from, offline)).toBeNull();
    expect(statSync(mark).mtimeMs).toBe(first);
    expect(await installPeers(folder, locked(home, 'changed', { 'bee-queue': '2.0.0' }), offline)).not.toBeNull();
  });
});

describe('the tables of the peers', () => {
  const figure = sampleGoal([4, 6, 5.5], { kind: 'at least', value: 5 }, { backend: 'redis', title: 'add' });
  const reason = 'no such module\nat line 1 | 2';

  test('show a ratio with its spread, its goal and whether it is met, or why it was not run', () => {
    const missing = { kind: 'not run', backend: 'redis', title: 'take', reason } as const;
    expect(speedTable([{ kind: 'measured', figure }, missing]).split('\n')).toEqual([
      '| backend | what | ours ÷ peer, median (least–most) | goal | met |',
      '|---|---|---|---|---|',
      '| redis | add | 5.50 (4.00–6.00) × | at least 5 | yes |',
      '| redis | take | not run: no such module at line 1 \\| 2 | – | – |',
    ]);
  });

  test('count what cut connections left behind', () => {
    const row = { kind: 'counted', peer: 'a queue', step: 'add', cuts: 50, doubled: 3, lost: 2, unknown: 1 } as const;
    const missing = { kind: 'not run', peer: 'absent', step: 'add', reason } as const;
    expect(cutTable([row, missing]).split('\n')).toEqual([
      '| store | step | cuts | doubled | lost or held by nobody | caller does not know |',
      '|---|---|---|---|---|---|',
      '| a queue | add | 50 | 3 | 2 | 1 |',
      '| absent | add | not run: no such module at line 1 \\| 2 | – | – | – |',
    ]);
  });

  test('name what each peer lacks once, and count as goals what is more than not to be slower', () => {
    expect(lackList([original, original])).toBe(`- ${original.name}: ${original.lacks}.`);
    const figures = [figure, sampleGoal([1], { kind: 'at least', value: 1 })];
    expect(peerGoals({ rows: figures.map((one) => ({ kind: 'measured', figure: one })) })).toEqual([figure]);
  });
});
