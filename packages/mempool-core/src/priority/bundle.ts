import type { DriverPage } from '../contract/driver-page.ts';
import {
  type DamagedTransaction,
  isDamaged,
  isLive,
  type StoredTransaction,
  type TransactionStatus,
} from '../contract/transaction.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PoolNode } from './pool-node.ts';

/**
 * P31: the transactions of its bundle that are Pending, Propagated or Acknowledged, by seq; a transaction in no bundle
 * alone.
 */
export function unitOf({ bundles }: PoolIndex, node: PoolNode): readonly PoolNode[] {
  const { bundle } = node.entry;
  if (bundle === undefined) return [node];
  const mates = bundles.of(String(bundle.first));
  return mates.has(node) ? [...mates].sort((a, b) => a.seq - b.seq) : [node];
}

/** Adds to what is told of a live transaction the name of its bundle (P31). */
export function withBundle<T extends StoredTransaction | TransactionStatus | DamagedTransaction | null>(
  index: PoolIndex,
  told: T,
): T {
  if (told === null || isDamaged(told)) return told;
  const { hash, stage } = told;
  if (stage === 'Unknown' || stage === 'Damaged' || !isLive(stage)) return told;
  const bundle = index.node(hash)?.entry.bundle;
  return bundle === undefined ? told : { ...told, bundle: bundle.first };
}

/** The same for all of a page. */
export function pageWithBundles(index: PoolIndex, page: DriverPage): DriverPage {
  return { ...page, transactions: page.transactions.map((each) => withBundle(index, each)) };
}

/** The effective price of a bundle: priority × gas of all, by the gas of all, rounded down. Without gas each counts the same. */
export function bundlePriority(unit: readonly PoolNode[]): bigint {
  const isFree = unit.every(({ entry }) => entry.verdict.gas === 0);
  let [sum, weights] = [0n, 0n];
  for (const { entry } of unit) {
    const weight = isFree ? 1n : BigInt(entry.verdict.gas);
    sum += entry.verdict.priority * weight;
    weights += weight;
  }
  const quotient = sum / weights;
  return quotient * weights > sum ? quotient - 1n : quotient;
}

/** True if one requires a tag of itself or of a later one. */
export function isOutOfOrder(index: PoolIndex, unit: readonly PoolNode[]): boolean {
  return unit.some(({ entry: { verdict } }, at) =>
    verdict.requires.some(
      (tag) => !index.satisfied.has(tag) && unit.slice(at).some((later) => later.entry.verdict.provides.includes(tag)),
    ),
  );
}
