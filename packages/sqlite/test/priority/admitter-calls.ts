import type { MempoolStore, OpenOptions, Submission } from 'mempool-core';
import { hashOf, numbers, pointOf } from '../numbered.ts';
import { priced } from './priced.ts';

/** A small pool, so that calls push out, and a clock that stands where no call's own is. */
export const smallPool: OpenOptions = {
  ordering: 'priority',
  maxTxs: 40,
  maxFinalized: 60,
  maxRollback: 3,
  finalizeThreshold: 2,
  now: () => 1_000_000_000,
};

const perRound = 8;
const verbs = 8;

/** Call `n` of an endless series in which a transaction meets everything that may happen to it. */
export function callOf(store: MempoolStore, n: number): Promise<unknown> {
  const round = Math.floor(n / verbs);
  const mine = numbers(perRound, round * perRound);
  const id = { operationId: `call ${n}` };
  const options = { ...id, now: n * 10, height: round };
  switch (n % verbs) {
    case 0:
      return store.receive(mine.map(linked), options);
    case 1:
      return store.take({ maxTxs: 3 }, { ...options, owner: 'admitter', leaseMs: 45 });
    case 2:
      return store.confirm(blockOf(round, mine), {}, id);
    case 3:
      return store.receive(before(round), options);
    case 4:
      return store.sweep(options);
    case 5:
      return round % 5 === 4 ? store.rollback(null, id) : store.drop([hashOf(round * perRound + 5)], 'at last', id);
    case 6:
      return store.revise(
        [{ hash: hashOf(round * perRound + 6), version: 1, answer: verdictOf(round * perRound + 6, 7n) }],
        options,
      );
    default:
      return round % 3 === 0
        ? store.setLimits({ maxPerSender: 4 + (round % 5) }, id)
        : store.markInflight(mine.slice(6).map(hashOf), id);
  }
}

function blockOf(round: number, mine: readonly number[]) {
  const seen = [...mine.slice(0, 2).map(hashOf), hashOf((round + 1) * perRound)];
  return { point: pointOf(round), seen, unseen: [], provides: [`t${mine[3]}`] };
}

/** Some that came before, from another peer: pushed out or dropped since, confirmed, or there. */
function before(round: number): Submission[] {
  return numbers(perRound, Math.max(0, round - 4) * perRound).map((n) => ({ ...linked(n), from: `peer ${round % 3}` }));
}

function linked(n: number): Submission {
  return { ...priced(n, {}, 60), verdict: verdictOf(n, BigInt((n * 7919) % 1000)) };
}

/** Most need the one before them, and ninety of them later one pays for the same nonce. */
function verdictOf(n: number, priority: bigint): NonNullable<Submission['verdict']> {
  const requires = n % perRound === 0 || n % 3 === 0 ? [] : [`t${n - 1}`];
  return { priority, provides: [`t${n}`, `nonce ${n % 90}`], requires, sender: `s${n % 7}`, gas: n % 5 };
}
