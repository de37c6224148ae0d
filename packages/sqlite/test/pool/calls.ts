import type { Mempool, OpenOptions, Ordering, Submission } from 'mempool-core';
import { hashOf, numbers, pointOf, transaction } from '../numbered.ts';

/**
 * A small pool, so that calls evict or are refused, and a clock that stands at a time that no call names. A limit that the calls
 * set is not named here: each open would set it back.
 */
export function smallPool(ordering: Ordering): OpenOptions {
  const retention = { maxFinalized: 60, maxRollback: 3, finalizeThreshold: 2 };
  const quiet = { sweepEveryMs: Number.POSITIVE_INFINITY, now: () => 1_000_000_000 };
  return { ordering, ...(ordering === 'priority' && { maxTxs: 40 }), ...retention, ...quiet };
}

const perRound = 8;
const verbs = 8;

/** Call `n` of an endless series in which a transaction meets everything that may happen to it. */
export function callOf(store: Mempool, n: number): Promise<unknown> {
  const round = Math.floor(n / verbs);
  const mine = numbers(perRound, round * perRound);
  const isPriority = store.ordering === 'priority';
  const id = { operationId: `call ${n}` };
  const options = { ...id, now: n * 10, ...(isPriority && { height: round }) };
  const given = (all: readonly number[]) => all.map(isPriority ? linked : (each) => transaction(each, 60));
  switch (n % verbs) {
    case 0:
      return store.receive(given(mine), options);
    case 1:
      return store.take({ maxTxs: 3 }, { ...options, owner: 'caller', claimMs: 45 });
    case 2:
      return store.confirm(blockOf(round, mine, isPriority), {}, id);
    case 3: {
      // Some that came before, from another peer: evicted or dropped since, confirmed, or still there.
      const before = given(numbers(perRound, Math.max(0, round - 4) * perRound));
      return store.receive(
        isPriority ? before.map((each) => ({ ...each, from: `peer ${round % 3}` })) : before,
        options,
      );
    }
    case 4:
      return store.sweep(options);
    case 5:
      return round % 5 === 4 ? store.rollback('origin', id) : store.drop([hashOf(round * perRound + 5)], 'invalid', id);
    case 6: {
      const last = round * perRound + 6;
      if (!isPriority) return store.markAcknowledged(mine.slice(0, 4).map(hashOf), id);
      return store.revise([{ hash: hashOf(last), version: 1, answer: verdictOf(last, 7n) }], options);
    }
    default:
      if (round % 3 > 0) return store.markInflight(mine.slice(6).map(hashOf), id);
      return store.setLimits(isPriority ? { maxPerSender: 4 + (round % 5) } : { maxTxs: 30 + (round % 11) }, id);
  }
}

function blockOf(round: number, mine: readonly number[], isPriority: boolean) {
  const seen = [...mine.slice(0, 2).map(hashOf), hashOf((round + 1) * perRound)];
  return { point: pointOf(round), seen, unseen: [], ...(isPriority && { provides: [`t${mine[3]}`] }) };
}

function linked(n: number): Submission {
  return { ...transaction(n, 60), verdict: verdictOf(n, BigInt((n * 7919) % 1000)) };
}

/** Most need the one before them, and the one ninety places later pays for the same nonce. */
function verdictOf(n: number, priority: bigint): NonNullable<Submission['verdict']> {
  const requires = n % perRound === 0 || n % 3 === 0 ? [] : [`t${n - 1}`];
  return { priority, provides: [`t${n}`, `nonce ${n % 90}`], requires, sender: `s${n % 7}`, gas: n % 5 };
}
