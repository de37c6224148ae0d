import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import type { Fold } from './fold.ts';

/** The most bytes of the record. */
const maxBytes = 64_000;
const maxTextBytes = 2_000_000;

/** Encodes the numbers as deflated JSON of at most 64 kB. If they need more, the oldest hours are left out. */
export function encodeFold(fold: Fold): Uint8Array {
  for (let { hours } = fold.series; ; hours = hours.slice(Math.ceil(hours.length / 8))) {
    const bytes = deflateRawSync(JSON.stringify({ ...fold, series: { ...fold.series, hours } }));
    if (bytes.length <= maxBytes || hours.length === 0) return bytes;
  }
}

/** Decodes the numbers; `null` if the bytes are damaged. */
export function decodeFold(bytes: Uint8Array): Fold | null {
  try {
    const text = inflateRawSync(bytes, { maxOutputLength: maxTextBytes }).toString();
    return foldSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const count = z.int().min(0);
const time = count.nullable();
const counts = z.object({
  ...{ received: count, finalized: count, rolledBack: count, applied: count, undone: count },
  dropped: z.record(z.string(), count),
});
const series = z.array(
  counts.extend({
    ...{ index: count, pendingHigh: z.int(), pendingLast: z.int(), took: z.array(count), p50Ms: time, p95Ms: time },
  }),
);
const foldSchema = z.object({
  ...{ cursor: z.string(), seq: count, at: time, needsCounts: z.boolean(), totals: counts },
  lost: z.object({ from: count, to: time }).nullable(),
  live: z.object({ Pending: z.int(), Propagated: z.int(), Acknowledged: z.int(), Confirmed: z.int() }),
  series: z.object({ minutes: series, tenMinutes: series, hours: series }),
});
