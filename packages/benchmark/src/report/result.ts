import { readFileSync } from 'node:fs';
import type { Figure } from './figure.ts';
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
  /** How often each backend was measured, each time in a process of its own. */
  readonly passes: Readonly<Record<string, number>>;
  readonly machine: Machine;
  readonly rows: readonly Row[];
  readonly goals: readonly Figure[];
  /** Further tables in Markdown. */
  readonly sections: readonly { readonly title: string; readonly markdown: string }[];
}

/** A stored run. @throws Error where the file holds none, or one of another format */
export function readResult(path: string): Result {
  const result = JSON.parse(readFileSync(path, 'utf8')) as Partial<Result>;
  if (result.format !== resultFormat) throw new Error(`${path} is no result of format ${resultFormat}`);
  return result as Result;
}
