import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { OpenedPool } from '../src/case/tested-pool.ts';
import type { SaidWork } from './worker.ts';

/** What a taker prints of each claim that it takes, of three while there are three. */
interface SaidClaim {
  readonly claimId: string;
  readonly untilMs: number;
  readonly seqs: readonly number[];
}

/** Starts a process that takes claim after claim until there is nothing left, and prints each as a line of JSON. */
export type StartTaker = (owner: string, claimMs: number) => ChildProcess;

const patienceMs = 30_000;

async function* claimsOf(taker: ChildProcess): AsyncGenerator<SaidClaim> {
  for await (const line of createInterface({ input: taker.stdout as NodeJS.ReadableStream })) yield JSON.parse(line);
}

async function allClaimsOf(taker: ChildProcess): Promise<SaidClaim[]> {
  const claims: SaidClaim[] = [];
  for await (const claim of claimsOf(taker)) claims.push(claim);
  return claims;
}

/** In a priority pool the last one to arrive pays most. */
async function fill(store: OpenedPool, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, i) => ({
    hash: (i + 1).toString(16).padStart(64, '0'),
    payload: Buffer.of(i % 256),
    payloadType: 0,
    ...(store.ordering === 'priority' && { verdict: { priority: BigInt(i) } }),
  }));
  for (let from = 0; from < count; from += 1_000) await store.receive(all.slice(from, from + 1_000));
}

/** The seqs as the pool hands them out. */
function inOrder(store: OpenedPool, seqs: readonly number[]): number[] {
  return seqs.toSorted((a, b) => (store.ordering === 'fifo' ? a - b : b - a));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** N1: no transaction is in two claims, none is left, and each claim is in the pool's order. */
export async function checkRacingTakers(store: OpenedPool, start: StartTaker): Promise<void> {
  const count = 900;
  await fill(store, count);
  const takers = ['a', 'b', 'c', 'd'].map((owner) => allClaimsOf(start(owner, 600_000)));
  const claims = (await Promise.all(takers)).flat();
  assert.deepEqual(
    inOrder(
      store,
      claims.flatMap(({ seqs }) => seqs),
    ),
    inOrder(store, upTo(count)),
  );
  for (const { seqs } of claims) assert.deepEqual(seqs, inOrder(store, seqs));
  assert.equal(new Set(claims.map(({ claimId }) => claimId)).size, claims.length);
  const { pending, propagated, lastEventSeq } = await store.usage();
  assert.deepEqual({ pending, propagated, lastEventSeq }, { pending: 0, propagated: count, lastEventSeq: 2 * count });
}

/** X1: what a killed taker had comes back whole claims at a time, once its leases have ended, and to its place. */
export async function checkKilledTaker(store: OpenedPool, start: StartTaker): Promise<void> {
  const count = 3_000;
  await fill(store, count);
  const taker = start('killed', 2_000);
  const gone = once(taker, 'exit');
  const said: SaidClaim[] = [];
  for await (const claim of claimsOf(taker)) if (said.push(claim) === 5) break;
  taker.kill('SIGKILL');
  await gone;
  const { propagated } = await store.usage();
  assert(propagated >= 15 && propagated < count && propagated % 3 === 0, String(propagated));
  assert.deepEqual((await store.sweep({ now: said[0]?.untilMs })).returned, []);
  const deadline = performance.now() + patienceMs;
  let returned = 0;
  while (returned < propagated) {
    assert(performance.now() < deadline, `${returned} of ${propagated} are back`);
    const swept = await store.sweep();
    returned += swept.returned.length;
    assert(swept.returned.length % 3 === 0 || swept.more, 'half a claim came back');
  }
  assert.equal(returned, propagated);
  assert.deepEqual(
    (await store.reap()).map(({ seq }) => seq),
    inOrder(store, upTo(count)),
  );
}

/** P19: a worker that was stopped past its claim does nothing to what another has taken since. */
export async function checkStoppedWorker(store: OpenedPool, start: StartTaker): Promise<void> {
  await fill(store, 3);
  const stopped = start('stopped', 500);
  const saidByStopped = sayingsOf(stopped);
  const { hashes } = await next(saidByStopped);
  stopped.kill('SIGSTOP');
  const deadline = performance.now() + patienceMs;
  while ((await store.sweep()).returned.length === 0) assert(performance.now() < deadline, 'the claim does not end');
  const other = start('other', 600_000);
  const saidByOther = sayingsOf(other);
  assert.deepEqual((await next(saidByOther)).hashes, hashes);
  stopped.kill('SIGUSR2');
  stopped.kill('SIGCONT');
  const { extended, acknowledged, released, dropped } = await next(saidByStopped);
  assert.deepEqual({ extended, acknowledged, released, dropped }, { extended: 'ended', ...nothingMoved });
  const before = await store.status(hashes);
  assert.deepEqual(
    before.map(({ stage }) => stage),
    ['Propagated', 'Propagated', 'Propagated'],
  );
  other.kill('SIGUSR2');
  assert.equal((await next(saidByOther)).extended, 'extended');
  const after = await store.status(hashes);
  assert.deepEqual(
    after.map(({ stage }) => stage),
    ['Acknowledged', 'Pending', 'Dropped'],
  );
}

const nothingMoved = { acknowledged: [], released: [], dropped: [] };

function sayingsOf(worker: ChildProcess): AsyncIterator<string> {
  return createInterface({ input: worker.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
}

async function next(sayings: AsyncIterator<string>): Promise<SaidWork> {
  const { value } = await sayings.next();
  return JSON.parse(value);
}
