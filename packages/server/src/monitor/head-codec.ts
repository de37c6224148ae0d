import { createHash } from 'node:crypto';
import { causes, knownStages } from 'mempool-core';
import { z } from 'zod';
import {
  type Bucket,
  finalityBoundsMs,
  freshTally,
  fromStages,
  hourRule,
  liveStages,
  maxAppReasons,
  maxGaps,
  maxSlots,
  minuteRule,
  otherReason,
  type Part,
  type Series,
  type SeriesRule,
  type Tally,
  timelineLength,
  trailStep,
} from './tally.ts';

/** The version of what is stored. A head of another one is left alone. */
const format = 1;

/** A part that must be stored before the head that names it. */
interface NewPart extends Part {
  readonly rule: SeriesRule;
  readonly bytes: Uint8Array;
}

/** A tally as it is stored. */
export interface EncodedTally {
  readonly head: Uint8Array;
  /** The parts that are not stored yet. */
  readonly newParts: readonly NewPart[];
  /** All parts that the head names. */
  readonly minuteParts: readonly Part[];
  readonly hourParts: readonly Part[];
}

/** Encodes a tally. The head stays below 64 KiB, because it has only buckets that are not in a part yet. */
export function encodeTally(tally: Tally): EncodedTally {
  const minutes = dividedSeries(tally.minutes, minuteRule, tally.at);
  const hours = dividedSeries(tally.hours, hourRule, tally.at);
  const { minutes: _minutes, hours: _hours, slots, gaps, ...totals } = tally;
  const head = {
    format,
    ...totals,
    slots: slots.map(({ index, received, finalized, dropped }) => [index, received, finalized, dropped]),
    gaps: gaps.map(({ from, to, missed }) => [from, to, missed]),
    minutes: packedSeries(minutes),
    hours: packedSeries(hours),
  };
  return {
    head: bytesOf(head),
    newParts: [...minutes.newParts, ...hours.newParts],
    minuteParts: minutes.parts,
    hourParts: hours.parts,
  };
}

/** Decodes a tally, without the buckets of its parts, which `parts` names. @throws if these are not the bytes of a head */
export function decodeHead(bytes: Uint8Array): Tally {
  const { format: _, minutes, hours, slots, gaps, ...totals } = headSchema.parse(parsed(bytes));
  return {
    ...freshTally(totals.cursor),
    ...totals,
    slots: slots.map(([index, received, finalized, dropped]) => ({ index, received, finalized, dropped })),
    gaps: gaps.map(([from, to, missed]) => ({ from, to, missed })),
    minutes: unpackedSeries(minutes),
    hours: unpackedSeries(hours),
  };
}

/** True for a head that another version of this package wrote. */
export function isForeignHead(bytes: Uint8Array): boolean {
  const known = z.object({ format: z.number() }).safeParse(parsedOrNull(bytes));
  return known.success && known.data.format !== format;
}

/** Decodes the buckets of a part. @throws if these are not the bytes of a part */
export function decodePart(bytes: Uint8Array): Bucket[] {
  return bucketsSchema.parse(parsed(bytes)).map(unpacked);
}

interface DividedSeries {
  readonly parts: readonly Part[];
  readonly newParts: readonly NewPart[];
  /** The buckets of the window that may still grow. */
  readonly open: readonly Bucket[];
}

/** Divides buckets into parts that are stored, parts that are complete now, and the rest. Leaves out parts that are too old. */
function dividedSeries({ buckets, parts }: Series, rule: SeriesRule, at: number | null): DividedSeries {
  const windowOf = ({ index }: Bucket): number => Math.floor(index / rule.partLength);
  const last = buckets.at(-1);
  if (last === undefined) return { parts: [], newParts: [], open: [] };
  const [written, growing] = [parts.at(-1)?.window ?? -1, windowOf(last)];
  const closed = buckets.filter((bucket) => windowOf(bucket) > written && windowOf(bucket) < growing);
  const newParts = Array.from(Map.groupBy(closed, windowOf), ([window, of]) => newPart(rule, window, of));
  const kept = parts.filter(({ window }) => (window + 1) * rule.partLength * rule.widthMs > (at ?? 0) - rule.keptMs);
  return {
    parts: [...kept, ...newParts.map(({ window, digest }) => ({ window, digest }))],
    newParts,
    open: buckets.filter((bucket) => windowOf(bucket) === growing),
  };
}

function newPart(rule: SeriesRule, window: number, buckets: readonly Bucket[]): NewPart {
  const bytes = bytesOf(buckets.map(packed));
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { rule, window, digest, bytes };
}

const count = z.int().nonnegative();
const counts = (length: number) => z.array(count).length(length);
const cursor = z.string().min(1).max(160);
const sparse = z.array(count).refine((pairs) => pairs.length % 2 === 0);
const bucketSchema = z.tuple([count, count, count, count, count, count, count, count, sparse, sparse]);
const bucketsSchema = z.array(bucketSchema).max(Math.max(minuteRule.partLength, hourRule.partLength));
const seriesSchema = z.object({
  parts: z.array(z.tuple([count, z.string().regex(/^[0-9a-f]{16}$/)])),
  buckets: bucketsSchema,
});

const headSchema = z.object({
  format: z.literal(format),
  cursor,
  seq: count,
  at: z.number().nullable(),
  live: z.array(z.int()).length(liveStages.length),
  needsCounts: z.boolean(),
  transitions: counts(fromStages.length * knownStages.length),
  causes: counts(causes.length),
  dropped: z
    .array(count)
    .min(otherReason + 1)
    .max(otherReason + 1 + maxAppReasons),
  appReasons: z.array(z.string()).max(maxAppReasons),
  applied: count,
  undone: count,
  finality: counts(finalityBoundsMs.length + 1),
  finalitySumMs: z.number().nonnegative(),
  lagged: count,
  missed: count,
  incompleteSince: z.number().nullable(),
  gaps: z.array(z.tuple([z.number(), z.number().nullable(), count])).max(maxGaps),
  slots: z.array(z.tuple([count, count, count, count])).max(maxSlots),
  minutes: seriesSchema,
  hours: seriesSchema,
  trail: z
    .array(cursor)
    .min(1)
    .max(timelineLength / trailStep + 1),
  moved: count,
});

type PackedBucket = z.infer<typeof bucketSchema>;

function packedSeries({ parts, open }: DividedSeries): z.infer<typeof seriesSchema> {
  return { parts: parts.map(({ window, digest }) => [window, digest]), buckets: open.map(packed) };
}

function unpackedSeries({ parts, buckets }: z.infer<typeof seriesSchema>): Series {
  return { parts: parts.map(([window, digest]) => ({ window, digest })), buckets: buckets.map(unpacked) };
}

function packed(bucket: Bucket): PackedBucket {
  const { index, received, finalized, rolledBack, applied, undone, pendingHigh, pendingLast } = bucket;
  const head = [index, received, finalized, rolledBack, applied, undone, pendingHigh, pendingLast] as const;
  return [...head, pairsOf(bucket.dropped), pairsOf(bucket.finality)];
}

function unpacked(tuple: PackedBucket): Bucket {
  const [index, received, finalized, rolledBack, applied, undone, pendingHigh, pendingLast, dropped, finality] = tuple;
  const numbers = { index, received, finalized, rolledBack, applied, undone, pendingHigh, pendingLast };
  return {
    ...numbers,
    dropped: listOf(dropped, otherReason + maxAppReasons),
    finality: listOf(finality, finalityBoundsMs.length),
  };
}

/** Index and count of each element that is not 0. */
function pairsOf(list: readonly number[]): number[] {
  return list.flatMap((each, i) => (each === 0 ? [] : [i, each]));
}

function listOf(pairs: readonly number[], maxIndex: number): number[] {
  const list: number[] = [];
  for (let i = 0; i < pairs.length; i += 2) {
    const index = pairs[i] ?? 0;
    if (index > maxIndex) throw new RangeError('a count has no place');
    while (list.length < index) list.push(0);
    list[index] = pairs[i + 1] ?? 0;
  }
  return list;
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

function parsedOrNull(bytes: Uint8Array): unknown {
  try {
    return parsed(bytes);
  } catch {
    return null;
  }
}
