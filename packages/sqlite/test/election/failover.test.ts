import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hostClock } from '../../src/election/lease-clock.ts';
import { hashOf, numbers, transaction } from '../numbered.ts';
import { digest } from './digest.ts';
import { Audience, Talker, type Word } from './talker.ts';

/** A pool with five transactions in flight, and nodes on it. */
async function stage(): Promise<{ path: string; audience: Audience; join: (n: number, timing: Timing) => Talker }> {
  const path = join(scratchFolder(), 'pool.db');
  await using pool = await sqlite.open({ path });
  await pool.receive(numbers(5, 1).map((n) => transaction(n)));
  await pool.markInflight(numbers(5, 1).map(hashOf));
  const audience = new Audience();
  const enter = (n: number, { ttlMs, pollMs }: Timing): Talker =>
    new Talker(audience, './election/participant.ts', `node-${n}`, [
      path,
      `node-${n}`,
      `${ttlMs}`,
      `${pollMs}`,
      'watcher',
    ]);
  return { path, audience, join: enter };
}

interface Timing {
  readonly ttlMs: number;
  readonly pollMs: number;
}

/** Of the lease as the file has it now. */
function expiry(path: string): number {
  const database = new SqliteDatabase(path, { readonly: true });
  const expiresMs = database.prepare("SELECT expires FROM lease WHERE name = 'watcher'").pluck().get();
  database.close();
  return expiresMs as number;
}

/** Stops the process where it is not writing: one that stops in the middle of a write stops everybody's writes with it. */
async function stopBetweenWrites(path: string, process: Talker): Promise<void> {
  const database = new SqliteDatabase(path, { timeout: 100 });
  const attempt = database.transaction(() => undefined);
  await expect
    .poll(() => {
      process.signal('SIGSTOP');
      try {
        attempt.immediate();
        return true;
      } catch {
        process.signal('SIGCONT');
        return false;
      }
    })
    .toBe(true);
  database.close();
}

/** The leader and its followers, once all are at work. */
async function settled(
  audience: Audience,
  nodes: readonly Talker[],
): Promise<{ leader: Talker; followers: Talker[]; won: Word }> {
  await Promise.all(nodes.map((by) => audience.next('ready', { from: 0, by })));
  for (const node of nodes) node.order('start');
  const [won] = await Promise.all([
    audience.next('acquired', { from: 0 }),
    ...nodes.map((by) => audience.next('started', { from: 0, by })),
  ]);
  const leader = nodes.find(({ nodeId }) => nodeId === won.nodeId) as Talker;
  return { leader, followers: nodes.filter((node) => node !== leader), won };
}

function figure(what: string, timesMs: readonly number[]): void {
  const sorted = [...timesMs].sort((a, b) => a - b);
  console.log(`${what}: median ${sorted[sorted.length >> 1]} ms, ${sorted[0]}–${sorted.at(-1)} ms of ${sorted.length}`);
}

const patient = { ttlMs: 10_000, pollMs: 5_000 };

test('a leader that is killed is replaced before its lease would have expired, by the lock that it held', async () => {
  const { path, audience, join: enter } = await stage();
  const nodes = numbers(6).map((n) => enter(n, patient));
  let { leader, won } = await settled(audience, nodes);
  const tookMs: number[] = [];
  for (const _ of nodes.slice(1)) {
    const next = audience.next('acquired');
    const expiresMs = expiry(path);
    const killedMs = hostClock().nowMs();
    leader.signal('SIGKILL');
    const successor = await next;
    expect(successor.atMs).toBeLessThan(expiresMs);
    expect(successor.term).toBeGreaterThan(won.term as number);
    tookMs.push(successor.atMs - killedMs);
    won = successor;
    leader = nodes.find(({ nodeId }) => nodeId === successor.nodeId) as Talker;
  }
  figure('SQLite, leader killed', tookMs);
}, 180_000);

test('a leader that stops hands over at once, without waiting for a poll', async () => {
  const { audience, join: enter } = await stage();
  const { leader, won } = await settled(audience, [enter(1, patient), enter(2, patient)]);
  const next = audience.next('acquired');
  leader.order('stop');
  const lost = await audience.next('lost', { from: 0 });
  const successor = await next;
  expect(lost).toMatchObject({ nodeId: leader.nodeId, reason: 'stopped', term: won.term });
  expect(successor.term).toBe((won.term as number) + 1);
  expect(successor.atMs - lost.atMs).toBeLessThan(patient.pollMs);
  figure('SQLite, leader stopped', [successor.atMs - lost.atMs]);
  await leader.ended();
}, 180_000);

test('X6: a leader that was stopped past its ttl and goes on knows that it leads no more, and its block changes nothing', async () => {
  const { path, audience, join: enter } = await stage();
  const timing = { ttlMs: 3_000, pollMs: 500 };
  const { leader, followers, won } = await settled(audience, [enter(1, timing), enter(2, timing)]);
  leader.order('confirm 1');
  expect(await audience.next('confirmed')).toMatchObject({ isLeader: true, outcome: 'applied' });
  const next = audience.next('acquired');
  await stopBetweenWrites(path, leader);
  const expiresMs = expiry(path);
  const successor = await next;
  // The lock is not free: only the lease's end made way.
  expect(successor.atMs).toBeGreaterThanOrEqual(expiresMs);
  expect(successor.term).toBeGreaterThan(won.term as number);
  const before = digest(path, ['lease', 'member']);
  const [answer, lost] = [audience.next('confirmed'), audience.next('lost', { by: leader })];
  leader.order('confirm 2');
  leader.signal('SIGCONT');
  expect(await answer).toMatchObject({ nodeId: leader.nodeId, isLeader: false, outcome: 'fenced' });
  expect(digest(path, ['lease', 'member'])).toBe(before);
  await lost;
  const [applied] = [audience.next('confirmed'), followers[0]?.order('confirm 2')];
  expect(await applied).toMatchObject({ nodeId: successor.nodeId, isLeader: true, outcome: 'applied' });
}, 180_000);
