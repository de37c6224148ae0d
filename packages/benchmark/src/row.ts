import { median, quotients, type Spread, spreadOf } from './spread.ts';
import type { Per } from './workload.ts';

/** What one backend costs in one workload with `n` stored. */
export interface Row {
  readonly backend: string;
  readonly id: string;
  readonly title: string;
  readonly n: number;
  readonly unit: 'µs' | 'bytes';
  readonly per: Per;
  readonly cost: Spread;
  readonly limits: readonly LimitRow[];
  /** Cost ÷ cost at the smallest n; `null` at the smallest. */
  readonly growth: Spread | null;
  /** Growth, the first limit's own growth divided out; `null` at the smallest. */
  readonly flatness: Spread | null;
}

interface LimitRow {
  readonly name: string;
  readonly cost: Spread;
  /** The limit's cost ÷ ours: 1 is as quick, or as small, as the bare structure. */
  readonly ratio: Spread;
  /** By what share of itself the ratio of every second round differs from that of the others; `null` after a single one. */
  readonly halvesApart: number | null;
}

/** The costs at one n, round by round. */
export interface Costs {
  readonly n: number;
  readonly ours: readonly number[];
  readonly limits: ReadonlyMap<string, readonly number[]>;
}

export type RowHead = Pick<Row, 'backend' | 'id' | 'title' | 'unit' | 'per'>;

/** Of a pool by priority: those are shown apart from the pools in order of arrival. */
export function isRanked({ id }: Pick<Row, 'id'>): boolean {
  return id.startsWith('ranked-');
}

/** The rows of one workload, from the smallest n to the largest. */
export function rowsOf(head: RowHead, costs: readonly Costs[]): Row[] {
  const [base] = costs;
  return costs.map((at) => ({
    ...head,
    n: at.n,
    cost: spreadOf(at.ours),
    limits: [...at.limits].map(([name, limit]) => ({
      name,
      cost: spreadOf(limit),
      ratio: spreadOf(quotients(limit, at.ours)),
      halvesApart: halvesApart(quotients(limit, at.ours)),
    })),
    growth: base === undefined || at === base ? null : spreadOf(quotients(at.ours, base.ours)),
    flatness: base === undefined || at === base ? null : spreadOf(flatness(base, at)),
  }));
}

function halvesApart(ratios: readonly number[]): number | null {
  if (ratios.length < 2) return null;
  const half = (rest: number): number => median(ratios.filter((_, round) => round % 2 === rest));
  return Math.abs(half(0) / half(1) - 1);
}

function flatness(base: Costs, at: Costs): number[] {
  const growth = limitGrowth(base, at);
  return quotients(at.ours, base.ours).map((grown) => grown / growth);
}

/** A limit that seems to get cheaper with n excuses nothing and charges nothing: that is noise. */
function limitGrowth(base: Costs, at: Costs): number {
  const [name] = at.limits.keys();
  if (name === undefined) return 1;
  const [few, many] = [base.limits.get(name), at.limits.get(name)];
  return few === undefined || many === undefined ? 1 : Math.max(1, median(quotients(many, few)));
}
