import { median, quotients, type Spread, spreadOf } from './spread.ts';

/** What a cost is counted by. */
export type Per = 'transaction' | 'block' | 'rollback' | 'entry' | 'event' | 'restart' | 'reap';

/** What one backend costs in one workload with `n` stored. */
export interface Row {
  readonly backend: string;
  readonly id: string;
  readonly title: string;
  readonly n: number;
  readonly per: Per;
  readonly cost: Spread;
  /** Each with the limit's cost ÷ ours: 1 is as fast, or as small, as the bare structure. */
  readonly limits: readonly { readonly name: string; readonly cost: Spread; readonly ratio: Spread }[];
  /** Cost ÷ cost at the smallest n; `null` at the smallest. */
  readonly growth: Spread | null;
  /** Growth ÷ the first limit's own growth; `null` at the smallest. */
  readonly flatness: Spread | null;
}

/** The costs at one n in one pass, round by round. */
interface Costs {
  readonly n: number;
  readonly ours: readonly number[];
  readonly limits: ReadonlyMap<string, readonly number[]>;
}

export type RowHead = Pick<Row, 'backend' | 'id' | 'title' | 'per'>;

/** A workload in one pass, from the smallest n to the largest. */
export interface Series {
  readonly head: RowHead;
  readonly costs: readonly Costs[];
}

/** The rows of one workload, from the smallest n to the largest: the rounds of all passes count alike. */
export function rowsOf(passes: readonly Series[]): Row[] {
  const [first] = passes as [Series, ...Series[]];
  const costs = passes.map((pass) => pass.costs).reduce(together);
  const [base] = costs as [Costs, ...Costs[]];
  return costs.map((at, i) => {
    const grown = i === 0 ? null : quotients(at.ours, base.ours);
    return {
      ...first.head,
      n: at.n,
      cost: spreadOf(at.ours),
      limits: [...at.limits].map(([name, limit]) => ({
        ...{ name, cost: spreadOf(limit), ratio: spreadOf(quotients(limit, at.ours)) },
      })),
      growth: grown && spreadOf(grown),
      flatness: grown && spreadOf(grown.map((growth) => growth / limitGrowth(base, at))),
    };
  });
}

function together(before: readonly Costs[], more: readonly Costs[]): Costs[] {
  return before.map(({ n, ours, limits }, i) => {
    const other = more[i];
    if (other?.n !== n) throw new RangeError('passes must have the same sizes');
    const merged = [...limits].map(([name, costs]) => [name, [...costs, ...(other.limits.get(name) ?? [])]] as const);
    return { n, ours: [...ours, ...other.ours], limits: new Map(merged) };
  });
}

/** The growth of the first limit, at least 1: a limit that seems to get cheaper with n is noise. */
function limitGrowth(base: Costs, at: Costs): number {
  const [few] = base.limits.values();
  const [many] = at.limits.values();
  return few === undefined || many === undefined ? 1 : Math.max(1, median(quotients(many, few)));
}
