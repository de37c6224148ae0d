import type { Row } from './row.ts';
import type { Spread } from './spread.ts';

export interface Goal {
  readonly kind: 'at least' | 'at most';
  readonly value: number;
}

/** One figure and the goal that it is held against, as it is stored. */
export interface Figure {
  readonly backend: string;
  readonly title: string;
  readonly goal: Goal;
  /** `×` for ratios. */
  readonly unit: '×' | 'bytes' | 'ms' | 'events/s' | 'missed' | 'calls';
  readonly value: Spread;
  readonly met: boolean;
}

export type FigureHead = Pick<Figure, 'backend' | 'title' | 'goal' | 'unit'>;

export function figureIn({ backend, title, goal, unit }: FigureHead, value: Spread): Figure {
  const met = goal.kind === 'at least' ? value.median >= goal.value : value.median <= goal.value;
  return { backend, title, goal, unit, value, met };
}

/** The flatness of each row as a goal. */
export function flatnessGoals(rows: readonly Row[]): Figure[] {
  return rows.flatMap(({ backend, id, title, n, unit, flatness }) => {
    if (flatness === null || unit !== 'µs') return [];
    const base = Math.min(...rows.filter((row) => row.backend === backend && row.id === id).map((row) => row.n));
    const full = `${title}: cost at ${n.toLocaleString('en')} ÷ cost at ${base.toLocaleString('en')}`;
    return [figureIn({ backend, title: full, goal: { kind: 'at most', value: 2 }, unit: '×' }, flatness)];
  });
}

/** Beside another checkout. A tenth slower is within what rounds differ by; bytes hardly vary. */
const atLeast = { µs: 0.9, bytes: 0.98 } as const;

/** As fast, and as small, as another checkout. */
export function goalsAgainst(rows: readonly Row[]): Figure[] {
  return rows.flatMap(({ backend, title, n, unit, limits }) =>
    limits.map(({ name, ratio }) => {
      const full = `${title}, n = ${n.toLocaleString('en')}: ${name} ÷ ours`;
      return figureIn({ backend, title: full, goal: { kind: 'at least', value: atLeast[unit] }, unit: '×' }, ratio);
    }),
  );
}
