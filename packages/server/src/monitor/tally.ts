import { causes, knownStages, type LiveStage, poolReasons, type Stage } from 'mempool-core';

/** Events that the monitor missed, because the store no longer had them when it read. */
export interface Gap {
  /** The time of the last event before the gap, in milliseconds since 1970; 0 if there was none. */
  readonly from: number;
  /** The time of the first event after the gap; `null` if there is none yet. */
  readonly to: number | null;
  /** The number of missed events; 0 if the store was restored to an earlier state. */
  readonly missed: number;
}

/** The stages that a transaction can come from, in the order of a row's number in `Tally.transitions`. */
export const fromStages: readonly Stage[] = ['Unknown', ...knownStages];
/** The live stages, in the order of `Tally.live`. */
export const liveStages: readonly LiveStage[] = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed'];

/** The code of all reasons without an own code. Pool reasons have lower codes, the application's reasons higher ones. */
export const otherReason: number = poolReasons.length;
/** The most reasons of the application that have their own code. */
export const maxAppReasons = 16;
/** The longest text of such a reason, in UTF-16 code units. */
export const maxAppReasonLength = 64;

/** Upper bounds of the time to finality: from half a second to a day. */
export const finalityBoundsMs: readonly number[] = [
  500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_200_000, 1_800_000,
  2_700_000, 3_600_000, 7_200_000, 14_400_000, 28_800_000, 86_400_000,
];

/** The width of the slots from which rates are computed, in milliseconds. */
export const slotMs = 10_000;
/** The number of these slots. */
export const maxSlots = 31;

/** The most gaps that are remembered. Beyond that the two oldest become one. */
export const maxGaps = 32;
/** How many transitions the timeline shows. */
export const timelineLength = 1_000;
/** After how many transitions a cursor is added to `Tally.trail`, from which the timeline can be read again. */
export const trailStep = 100;

/** The counts of one minute or hour. There is no bucket for times without events. */
export interface Bucket {
  /** The start of the bucket divided by its width. */
  readonly index: number;
  received: number;
  finalized: number;
  rolledBack: number;
  applied: number;
  undone: number;
  pendingHigh: number;
  /** Pending transactions at the end of the bucket. */
  pendingLast: number;
  /** Drops by the reason's code. Zeros at the end may be left out. */
  readonly dropped: number[];
  /** Times to finality by the index of their bound. Zeros at the end may be left out. */
  readonly finality: number[];
}

/** Buckets of one width, oldest first. */
export interface Series {
  readonly buckets: Bucket[];
  /** The records that closed buckets were written to, oldest first. */
  parts: readonly Part[];
}

/** A record of closed buckets. Its name has the digest of its content, so two monitors never write different ones. */
export interface Part {
  /** The index of its first possible bucket, divided by the number of buckets of a part. */
  readonly window: number;
  readonly digest: string;
}

/** The widths and numbers of a series. */
export interface SeriesRule {
  readonly letter: string;
  readonly widthMs: number;
  readonly keptMs: number;
  /** How many buckets a part may have. The head has up to as many open ones, so the number must be small. */
  readonly partLength: number;
}

export const minuteRule: SeriesRule = { letter: 'm', widthMs: 60_000, keptMs: 86_400_000, partLength: 20 };
export const hourRule: SeriesRule = { letter: 'h', widthMs: 3_600_000, keptMs: 30 * 86_400_000, partLength: 8 };

/** Counts of a short time, for rates. */
export interface Slot {
  readonly index: number;
  received: number;
  finalized: number;
  dropped: number;
}

/** The whole state of a monitor: the result of `fold` on all events up to `cursor`. Only `fold` changes it. */
export interface Tally {
  cursor: string;
  /** The number of the last event that was counted or lost; 0 before the first. */
  seq: number;
  /** The latest `at` of the events. It never decreases. */
  at: number | null;
  /** Number of transactions in each live stage. */
  readonly live: number[];
  /** True at first and after a loss, when `live` may be wrong until the pool's own counts are set. */
  needsCounts: boolean;
  /** Counts of transitions. Rows are `fromStages`, columns `knownStages`. */
  readonly transitions: number[];
  /** Counts of transitions by the index in `causes`. */
  readonly causes: number[];
  /** Counts of drops by the reason's code. */
  readonly dropped: number[];
  /** The reasons of the application that have codes. */
  readonly appReasons: string[];
  applied: number;
  undone: number;
  readonly finality: number[];
  finalitySumMs: number;
  lagged: number;
  missed: number;
  incompleteSince: number | null;
  readonly gaps: { -readonly [K in keyof Gap]: Gap[K] }[];
  readonly slots: Slot[];
  readonly minutes: Series;
  readonly hours: Series;
  /** Cursors every `trailStep` transitions; the first one is at least `timelineLength` transitions back, if there are so many. */
  readonly trail: string[];
  /** Number of counted events of transactions. */
  moved: number;
}

/** A tally before the event that follows the cursor. */
export function freshTally(cursor: string): Tally {
  return {
    cursor,
    seq: 0,
    at: null,
    live: zeros(liveStages.length),
    needsCounts: true,
    transitions: zeros(fromStages.length * knownStages.length),
    causes: zeros(causes.length),
    dropped: zeros(otherReason + 1),
    appReasons: [],
    applied: 0,
    undone: 0,
    finality: zeros(finalityBoundsMs.length + 1),
    finalitySumMs: 0,
    lagged: 0,
    missed: 0,
    incompleteSince: null,
    gaps: [],
    slots: [],
    minutes: { buckets: [], parts: [] },
    hours: { buckets: [], parts: [] },
    trail: [cursor],
    moved: 0,
  };
}

/** Returns the names of the reasons, by code. */
export function reasonNames({ appReasons }: Pick<Tally, 'appReasons'>): string[] {
  return [...poolReasons, 'other', ...appReasons.map((text) => `app:${text}`)];
}

function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}
