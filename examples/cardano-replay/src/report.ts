/** How the replay ended: for people a table, for programs one line. */

import type { Chain } from 'cardano-chains';
import type { ChainPoint, Mempool, TransactionStatus } from 'mempool-core';

/** Totals of the chain and of the pool over all runs; `applied` and `seconds` of this run. */
export interface Report {
  readonly backend: string;
  readonly blocks: number;
  readonly transactions: number;
  /** SHA-256 of the raw hashes of the chain's transactions, in order. */
  readonly sha256: string;
  readonly finalized: number;
  readonly confirmed: number;
  readonly dropped: number;
  readonly pending: number;
  /** Transactions that a fork returned to Pending at least once. */
  readonly rolledBack: number;
  /** Blocks of the chain that this run brought into the pool. */
  readonly applied: number;
  readonly tip: ChainPoint | null;
  readonly seconds: number;
}

/** The totals of the chain and, read from the pool itself, the final stages of its transactions. */
export async function report(
  store: Mempool,
  { points, hashes, sha256 }: Chain,
  { rolledBack, applied }: Pick<Report, 'rolledBack' | 'applied'>,
): Promise<Omit<Report, 'seconds'>> {
  const { Finalized, Confirmed, Dropped, Pending } = await countStages(store, hashes);
  return {
    backend: store.name,
    blocks: points.length,
    transactions: hashes.length,
    sha256,
    finalized: Finalized,
    confirmed: Confirmed,
    dropped: Dropped,
    pending: Pending,
    rolledBack,
    applied,
    tip: (await store.tip()).point,
  };
}

type Stages = Record<TransactionStatus['stage'], number>;
const noStages: Stages = {
  ...{ Unknown: 0, Pending: 0, Propagated: 0 },
  ...{ Acknowledged: 0, Confirmed: 0, Finalized: 0, Dropped: 0 },
};

async function countStages(store: Mempool, hashes: readonly string[]): Promise<Stages> {
  const [counts, pageSize] = [{ ...noStages }, 1_000];
  for (let start = 0; start < hashes.length; start += pageSize) {
    for (const { stage } of await store.status(hashes.slice(start, start + pageSize))) counts[stage] += 1;
  }
  return counts;
}

export function describe(result: Report): string {
  const { tip } = result;
  const rows: readonly (readonly [string, string | number, string?])[] = [
    ['backend', result.backend],
    ['blocks', result.blocks, `${result.applied} applied by this run`],
    ['transactions', result.transactions, `sha256 of their hashes ${result.sha256}`],
    ['  Finalized', result.finalized],
    ['  Confirmed', result.confirmed],
    ['  Dropped', result.dropped],
    ['  Pending', result.pending],
    ['rolled back', result.rolledBack, 'undone by a fork and confirmed again'],
    ['tip', tip === null ? 'none' : `slot ${tip.slot}`, tip?.hash ?? ''],
    ['time', `${result.seconds} s`],
  ];
  const width = Math.max(...rows.map(([, value]) => String(value).length));
  const line = ([name, value, note = '']: (typeof rows)[number]) =>
    `${name.padEnd(14)}${String(value).padEnd(width)}  ${note}`.trimEnd();
  return rows.map(line).join('\n');
}
