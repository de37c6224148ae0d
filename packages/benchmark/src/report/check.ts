import type { Result } from './result.ts';
import type { Spread } from './spread.ts';

/** How much worse a ratio may be. Redis is a second process on the same machine, so it varies more. */
const tolerance = { redis: 0.3, others: 0.15 } as const;

/** One ratio of a run: times differ from machine to machine, ratios to a limit hardly do. */
interface Ratio {
  readonly key: string;
  readonly backend: string;
  readonly better: 'higher' | 'lower';
  readonly value: Spread;
}

export interface Finding {
  readonly key: string;
  readonly stored: number;
  readonly now: number;
}

export interface Verdict {
  readonly compared: number;
  /** Ratios of the stored run that this one does not have. */
  readonly missing: number;
  readonly worse: readonly Finding[];
  /** Past the tolerance, but the middle halves of both runs overlap: noise alone may explain it. */
  readonly unsure: readonly Finding[];
}

/** Compares what both runs measured; what only one of them has is left out. */
export function compare(stored: Result, now: Result): Verdict {
  const before = new Map(ratiosOf(stored).map((ratio) => [ratio.key, ratio]));
  const pairs = ratiosOf(now).flatMap((ratio) => {
    const old = before.get(ratio.key);
    return old === undefined ? [] : [{ old, ratio }];
  });
  const past = pairs.filter(({ old, ratio }) => isPast(old, ratio));
  const finding = ({ old, ratio }: (typeof past)[number]): Finding => ({
    key: ratio.key,
    stored: old.value.median,
    now: ratio.value.median,
  });
  return {
    compared: pairs.length,
    missing: before.size - pairs.length,
    worse: past.filter(({ old, ratio }) => !overlap(old.value, ratio.value)).map(finding),
    unsure: past.filter(({ old, ratio }) => overlap(old.value, ratio.value)).map(finding),
  };
}

function isPast(old: Ratio, { value, backend, better }: Ratio): boolean {
  const allowed = backend === 'redis' ? tolerance.redis : tolerance.others;
  const [from, to] = [old.value.median, value.median];
  return better === 'higher' ? to < from * (1 - allowed) : to > from * (1 + allowed);
}

function overlap(one: Spread, other: Spread): boolean {
  return one.lower <= other.upper && other.lower <= one.upper;
}

function ratiosOf({ rows, goals }: Result): Ratio[] {
  return [...rows.flatMap(ratiosOfRow), ...goals.flatMap(ratioOfGoal)];
}

function ratiosOfRow({ backend, title, n, limits }: Result['rows'][number]): Ratio[] {
  return limits.map(({ name, ratio }) => ({
    key: `${backend}: ${title}, n = ${n.toLocaleString('en')}, against ${name}`,
    backend,
    better: 'higher',
    value: ratio,
  }));
}

function ratioOfGoal({ backend, title, unit, goal, value }: Result['goals'][number]): Ratio[] {
  if (unit !== '×') return [];
  return [{ key: `${backend}: ${title}`, backend, better: goal.kind === 'at least' ? 'higher' : 'lower', value }];
}
