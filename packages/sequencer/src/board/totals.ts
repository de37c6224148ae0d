import {
  addParticipation,
  countParticipation,
  type Participation,
  type ParticipationCounts,
  participationOf,
} from '../rules/participation.ts';
import { type EpochRow, outcomeOf } from './epoch-row.ts';

/** Sums over epochs. */
export interface EpochTotals {
  readonly epochs: number;
  readonly complete: number;
  readonly failed: number;
  /** Submissions. */
  readonly received: number;
  readonly counted: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly validators: Readonly<Record<string, ParticipationCounts>>;
}

/** The same in the answers. */
export interface ShownTotals extends Omit<EpochTotals, 'validators'> {
  readonly validators: readonly Participation[];
}

/** The sums over some rows. */
export function totalsOf(rows: Iterable<EpochRow>): EpochTotals {
  return addTotals(Array.from(rows, totalsOfOne));
}

function totalsOfOne(row: EpochRow): EpochTotals {
  const { received, counted, dropped } = row.counts;
  return {
    epochs: 1,
    complete: Number(row.phase === 'complete'),
    failed: Number(row.phase === 'failed'),
    ...{ received, counted, dropped },
    validators: Object.fromEntries(countParticipation([outcomeOf(row)])),
  };
}

export function addTotals(all: readonly EpochTotals[]): EpochTotals {
  const sum = (field: 'epochs' | 'complete' | 'failed' | 'received' | 'counted'): number =>
    all.reduce((total, each) => total + each[field], 0);
  const dropped = new Map<string, number>();
  for (const each of all)
    for (const [reason, count] of Object.entries(each.dropped)) dropped.set(reason, (dropped.get(reason) ?? 0) + count);
  const validators = addParticipation(all.map((each) => new Map(Object.entries(each.validators))));
  return {
    ...{ epochs: sum('epochs'), complete: sum('complete'), failed: sum('failed') },
    ...{ received: sum('received'), counted: sum('counted') },
    dropped: Object.fromEntries([...dropped].sort()),
    validators: Object.fromEntries(validators),
  };
}

export function shownTotals({ validators, ...rest }: EpochTotals): ShownTotals {
  return { ...rest, validators: participationOf(new Map(Object.entries(validators))) };
}
