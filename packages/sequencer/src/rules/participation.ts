import { byText } from './order.ts';

/** The work of the validators in one epoch, as one of them saw it. */
export interface EpochOutcome {
  /** All validators of the epoch. */
  readonly validators: readonly string[];
  /** The validators whose batch is here. */
  readonly batches: readonly string[];
  /** The validators whose batch counts in the agreement; `null` without one. */
  readonly included: readonly string[] | null;
  /** Submissions that this validator counted. */
  readonly counted: number;
  /** True: level 2 is over. Before, nobody is late. */
  readonly isOver: boolean;
}

/** Counts of a validator's work in several epochs. */
export interface ParticipationCounts {
  /** Epochs that wanted a batch of it. */
  readonly epochs: number;
  /** The epochs among them with a batch of it. */
  readonly batches: number;
  /** The epochs among them with an agreement. */
  readonly agreements: number;
  /** The agreements in which its batch counts. */
  readonly included: number;
}

/** A validator's work, with its shares between 0 and 1. A share of nothing is `null`. */
export interface Participation extends ParticipationCounts {
  readonly validator: string;
  /** In how many of the epochs it sent its batch. */
  readonly participation: number | null;
  /** In how many of the agreements its batch counts. */
  readonly inclusion: number | null;
}

const none: ParticipationCounts = { epochs: 0, batches: 0, agreements: 0, included: 0 };

/**
 * Counts the participation of each validator. An epoch counts once for each of its validators, and only if it wanted batches: one without
 * any submission wants none, and nobody is blamed for it.
 */
export function countParticipation(outcomes: Iterable<EpochOutcome>): Map<string, ParticipationCounts> {
  return addParticipation(Array.from(outcomes, countOne));
}

function countOne({ validators, batches, included, counted, isOver }: EpochOutcome): Map<string, ParticipationCounts> {
  const isWanted = isOver && (counted > 0 || batches.length > 0);
  const sent = new Set(batches);
  const counting = included === null ? null : new Set(included);
  const own = isWanted ? [...new Set(validators)] : [];
  return new Map(
    own.map((validator) => {
      const agreements = counting === null ? 0 : 1;
      const isIn = counting?.has(validator) === true;
      // A batch that counts was here, even without its record.
      const hasSent = sent.has(validator) || isIn;
      return [validator, { epochs: 1, batches: Number(hasSent), agreements, included: Number(isIn) }];
    }),
  );
}

/** The sums of several counts. */
export function addParticipation(
  counts: Iterable<ReadonlyMap<string, ParticipationCounts>>,
): Map<string, ParticipationCounts> {
  const sums = new Map<string, ParticipationCounts>();
  for (const each of counts)
    for (const [validator, { epochs, batches, agreements, included }] of each) {
      const sum = sums.get(validator) ?? none;
      sums.set(validator, {
        epochs: sum.epochs + epochs,
        batches: sum.batches + batches,
        agreements: sum.agreements + agreements,
        included: sum.included + included,
      });
    }
  return sums;
}

/** The shares of each validator, sorted by name. */
export function participationOf(counts: ReadonlyMap<string, ParticipationCounts>): Participation[] {
  return Array.from(counts, ([validator, each]) => ({
    validator,
    ...each,
    participation: share(each.batches, each.epochs),
    inclusion: share(each.included, each.agreements),
  })).sort((a, b) => byText(a.validator, b.validator));
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
