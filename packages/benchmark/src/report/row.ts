import type { Per } from '../workloads/workload.ts';
import { median, quotients, type Spread, spreadOf } from './spread.ts';

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
  /** The greatest median of a pass ÷ the least, less 1; `null` after a single pass. */
  readonly passesApart: number | null;
}

/** The costs at one n in one pass, round by round. */
export interface Costs {
  readonly n: number;
  readonly ours: readonly number[];
  readonly limits: ReadonlyMap<string, readonly number[]>;
}

export type RowHead = Pick<Row, 'backend' | 'id' | 'title' | 'unit' | 'per'>;

/** A workload in one pass, from the smallest n to the largest. */
export interface Series {
  readonly head: RowHead;
  readonly costs: readonly Costs[];
}

/** In whichever order they were measured. */
export function inOrderOf(workloads: readonly Pick<Row, 'id'>[], series: readonly Series[]): Series[] {
  const place = ({ head }: Series): number => workloads.findIndex(({ id }) => id === head.id);
  return series.toSorted((a, b) => place(a) - place(b));
}

/** Of a pool by priority: those are shown apart from the pools in order of arrival. */
export function isRanked({ id }: Pick<Row, 'id'>): boolean {
  return id.startsWith('ranked-');
}

/** The rows of one workload, from the smallest n to the largest: the rounds of all passes count alike. */
export function rowsOf(head: RowHead, passes: readonly (readonly Costs[])[]): Row[] {
  const costs = passes.reduce(together);
  const [base] = costs;
  return costs.map((at) => ({
    ...head,
    n: at.n,
    cost: spreadOf(at.ours),
    limits: [...at.limits].map(([name, limit]) => ({
      name,
      cost: spreadOf(limit),
      ratio: spreadOf(quotients(limit, at.ours)),
      passesApart: passesApart(passes, at.n, name),
    })),
    growth: base === undefined || at === base ? null : spreadOf(quotients(at.ours, base.ours)),
    flatness: base === undefined || at === base ? null : spreadOf(flatness(base, at)),
  }));
}

function together(before: readonly Costs[], more: readonly Costs[]): Costs[] {
  return before.map((at, i) => {
    const other = more[i];
    if (other?.n !== at.n) throw new RangeError('passes must have the same sizes');
    const limits = [...at.limits].map(
      ([name, costs]) => [name, [...costs, ...(other.limits.get(name) ?? [])]] as const,
    );
    return { n: at.n, ours: [...at.ours, ...other.ours], limits: new Map(limits) };
  });
}

function passesApart(passes: readonly (readonly Costs[])[], n: number, name: string): number | null {
  const ratios = passes.flatMap((costs) => {
    const at = costs.find((one) => one.n === n);
    const limit = at?.limits.get(name);
    return at === undefined || limit === undefined ? [] : [median(quotients(limit, at.ours))];
  });
  return ratios.length < 2 ? null : Math.max(...ratios) / Math.min(...ratios) - 1;
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
