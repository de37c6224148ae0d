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
  readonly unit: '×' | 'bytes' | 'ms' | 'calls';
  readonly value: Spread;
  readonly met: boolean;
}

export type FigureHead = Pick<Figure, 'backend' | 'title' | 'goal' | 'unit'>;

export function figureIn({ backend, title, goal, unit }: FigureHead, value: Spread): Figure {
  const met = goal.kind === 'at least' ? value.median >= goal.value : value.median <= goal.value;
  return { backend, title, goal, unit, value, met };
}

/** What each row must reach of the speed of its first limit. */
export function rowGoals(rows: readonly Row[], goals: ReadonlyMap<string, Readonly<Record<string, number>>>): Figure[] {
  return rows.flatMap(({ backend, id, title, n, limits: [limit] }) => {
    const value = goals.get(id)?.[backend];
    if (value === undefined || limit === undefined) return [];
    const full = `${limit.name} ÷ ${title}, n = ${n.toLocaleString('en')}`;
    return [figureIn({ backend, title: full, goal: { kind: 'at least', value }, unit: '×' }, limit.ratio)];
  });
}

/** Of each size but the smallest, the row of a backend that grows most. */
export function growthGoals(rows: readonly Row[]): Figure[] {
  const grown = rows.filter((row) => row.flatness !== null);
  return [...Map.groupBy(grown, ({ backend, n }) => `${backend} ${n}`).values()].map((all) => {
    const [worst] = all.toSorted((a, b) => medianOf(b) - medianOf(a)) as [Row];
    const title = `the row that grows most: cost at ${worst.n.toLocaleString('en')} ÷ at the smallest n`;
    const head = { backend: worst.backend, title, goal: { kind: 'at most', value: 2 }, unit: '×' } as const;
    return figureIn(head, worst.flatness as Spread);
  });
}

function medianOf({ flatness }: Row): number {
  return flatness?.median ?? 0;
}
