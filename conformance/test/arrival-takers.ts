import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { MempoolStore } from 'mempool-core';
import { fill } from './arrival-scenario.ts';

/** What a taker says of each lot that it takes, of three while there are three. */
interface SaidLot {
  readonly leaseId: string;
  readonly untilMs: number;
  readonly seqs: readonly number[];
}

/** Starts a process that takes lot after lot until there is nothing left, and says each as a line of JSON. */
export type StartTaker = (owner: string, leaseMs: number) => ChildProcess;

const patienceMs = 30_000;

async function lotsOf(taker: ChildProcess): Promise<SaidLot[]> {
  const lots: SaidLot[] = [];
  for await (const line of createInterface({ input: taker.stdout as NodeJS.ReadableStream }))
    lots.push(JSON.parse(line));
  return lots;
}

/** N1: no transaction is in two lots, none is left, and each lot is in order of arrival. */
export async function checkRacingTakers(store: MempoolStore, start: StartTaker): Promise<void> {
  await fill(store, 900);
  const takers = ['a', 'b', 'c'].map((owner) => start(owner, 600_000));
  const lots = (await Promise.all(takers.map(lotsOf))).flat();
  const seqs = lots.flatMap((lot) => lot.seqs);
  assert.deepEqual(
    seqs.sort((a, b) => a - b),
    Array.from({ length: 900 }, (_, i) => i + 1),
  );
  for (const { seqs: taken } of lots)
    assert.deepEqual(
      taken,
      taken.toSorted((a, b) => a - b),
    );
  assert.equal(new Set(lots.map(({ leaseId }) => leaseId)).size, lots.length);
  const { pending, propagated } = await store.usage();
  assert.deepEqual({ pending, propagated }, { pending: 0, propagated: 900 });
}

/** X1: what a killed taker had comes back whole lots at a time, once its leases have ended, and to its place. */
export async function checkKilledTaker(store: MempoolStore, start: StartTaker): Promise<void> {
  const count = 3_000;
  await fill(store, count);
  const taker = start('killed', 2_000);
  const lines = createInterface({ input: taker.stdout as NodeJS.ReadableStream });
  const said: SaidLot[] = [];
  for await (const line of lines) if (said.push(JSON.parse(line)) === 5) break;
  taker.kill('SIGKILL');
  if (taker.exitCode === null && taker.signalCode === null) await once(taker, 'exit');
  const { propagated } = await store.usage();
  assert(propagated >= 15 && propagated < count, String(propagated));
  assert.equal(propagated % 3, 0);
  assert.deepEqual((await store.sweep({ now: said[0]?.untilMs })).returned, []);
  const deadline = performance.now() + patienceMs;
  let returned = 0;
  while (returned < propagated) {
    assert(performance.now() < deadline, `${returned} of ${propagated} are back`);
    returned += (await store.sweep()).returned.length;
  }
  assert.equal(returned, propagated);
  const seqs = (await store.reap()).map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    Array.from({ length: count }, (_, i) => i + 1),
  );
}
