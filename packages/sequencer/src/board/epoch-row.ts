import type { EpochRecord } from '../contract/epoch.ts';
import type { GapFacts } from '../rules/gaps.ts';
import type { EpochOutcome } from '../rules/participation.ts';
import type { SubmissionCounts } from './submission-counts.ts';

/** The stored data of an epoch for the board: facts of its record, its batches, and the counts of its submissions. */
export interface EpochRow extends GapFacts, Pick<EpochRecord, 'openedAt' | 'root' | 'validators'> {
  /** The validators whose batch is here. */
  readonly batches: readonly string[];
  /** The validators whose batch counts in the agreement; `null`: there is none. */
  readonly included: readonly string[] | null;
  /** Projects of the agreement; `null`: there is none. */
  readonly projects: number | null;
  /** Projects without a quorum; `null`: there is no agreement. */
  readonly leftOut: number | null;
  readonly counts: SubmissionCounts;
  /** True: it has ended and nobody works on it, so nothing changes but by a reorganisation. */
  readonly isSettled: boolean;
}

/** The row as participation asks for it. */
export function outcomeOf({ validators, batches, included, counts, level2 }: EpochRow): EpochOutcome {
  const isOver = level2 === 'completed' || level2 === 'failed';
  return { validators, batches, included, counted: counts.counted, isOver };
}

/** The place of each field in a stored row. */
const places: { readonly [Field in keyof EpochRow]-?: number } = {
  ...{ epoch: 0, openedAt: 1, closesAt: 2, collectingAt: 3, agreedAt: 4, undoneAt: 5, endedAt: 6 },
  ...{ phase: 7, level1: 8, level2: 9, onchain: 10, reason: 11, root: 12 },
  ...{ projects: 13, leftOut: 14, counts: 15, isSettled: 16, validators: 17, batches: 18, included: 19 },
};
/** The fields of a stored row, in order. */
const stored = (Object.keys(places) as (keyof EpochRow)[]).sort((a, b) => places[a] - places[b]);

/** Rows as they are stored: a validator's name is there once, and rows have its place in the list. */
export interface StoredRows {
  readonly format: 1;
  readonly names: readonly string[];
  /** The values of `stored`. */
  readonly rows: readonly (readonly unknown[])[];
}

/** The rows in the form of a record. */
export function encodeRows(rows: ReadonlyMap<number, EpochRow>): StoredRows {
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
  const sorted = [...rows.values()].sort((a, b) => a.epoch - b.epoch);
  const encoded = sorted.map((row) => {
    const { validators, batches, included } = row;
    const named = { validators: validators.map(placeOf), batches: batches.map(placeOf) };
    const all = { ...row, ...named, included: included === null ? null : included.map(placeOf) };
    return stored.map((field) => all[field]);
  });
  return { format: 1, names: [...places.keys()], rows: encoded };
}

/** The rows of a record, by epoch. */
export function decodeRows({ names, rows }: StoredRows): Map<number, EpochRow> {
  const namesOf = (places: readonly number[]): string[] => places.map((place) => names[place] ?? '');
  const decoded = rows.map((values) => {
    const row = Object.fromEntries(stored.map((field, i) => [field, values[i]])) as unknown as StoredRow;
    const { validators, batches, included } = row;
    const named = { validators: namesOf(validators), batches: namesOf(batches) };
    return { ...row, ...named, included: included === null ? null : namesOf(included) };
  });
  return new Map(decoded.map((row) => [row.epoch, row]));
}

interface StoredRow extends Omit<EpochRow, 'validators' | 'batches' | 'included'> {
  readonly validators: readonly number[];
  readonly batches: readonly number[];
  readonly included: readonly number[] | null;
}
