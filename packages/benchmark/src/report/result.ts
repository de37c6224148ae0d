import { readFileSync } from 'node:fs';
import type { Figure } from '../runner/measure.ts';
import type { Machine } from './machine.ts';
import type { Row } from './row.ts';

export const resultFormat = 3;

/** One run, as it is stored. */
export interface Result {
  readonly format: typeof resultFormat;
  /** When it began, ISO 8601. */
  readonly date: string;
  readonly minutes: number;
  readonly sizes: readonly number[];
  /** How often each backend, and the peers, were measured, each time in a process of its own. */
  readonly passes: Readonly<Record<string, number>>;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly goals: readonly Figure[];
  /** Tables in Markdown that others add. */
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string;
  readonly markdown: string;
}

/** A stored run. @throws Error where the file holds none, or one of another format */
export function readResult(path: string): Result {
  const result = JSON.parse(readFileSync(path, 'utf8')) as Partial<Result>;
  if (result.format !== resultFormat) throw new Error(`${path} is no result of format ${resultFormat}`);
  return result as Result;
}

const flatGoal = { kind: 'at most', value: 2 } as const;

/** Each verb's flatness as a goal of its own. */
export function flatnessGoals(rows: readonly Row[]): Figure[] {
  return rows.flatMap(({ backend, id, title, n, unit, flatness }): Figure[] => {
    if (flatness === null || unit !== 'µs') return [];
    const base = Math.min(...rows.filter((row) => row.backend === backend && row.id === id).map((row) => row.n));
    return [
      {
        backend,
        title: `${title}: cost at ${n.toLocaleString('en')} ÷ cost at ${base.toLocaleString('en')}`,
        goal: flatGoal,
        unit: '×',
        value: flatness,
        met: flatness.median <= flatGoal.value,
      },
    ];
  });
}
