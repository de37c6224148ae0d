import { maxTimerMs, optional, type SectionSchema, table, text, whole, z } from 'mempool-server/extension';

/** The section `[ledger]`, with defaults filled in. */
export interface LedgerSection {
  /** The currency of the wallet `~vault`, and of a request that names none. */
  readonly currency: string;
  /** How many decimal places of an amount are shown, such as 2 for cents; default 0. Requests and answers have minor units. */
  readonly decimals: number;
  /** The name of the ledger; default `main`. Ledgers with different names share nothing. */
  readonly name: string;
  /** The file of the ledger, if the pool is on SQLite; `null` for the default, `pool.ledger.sqlite` for `pool.sqlite`. */
  readonly path: string | null;
  /** The least time for which records are kept, in milliseconds; the default `never` removes none. */
  readonly retentionMs: number | 'never';
  /** How many refusals of one owner are recorded; default 10,000. */
  readonly maxRefusals: number;
  /** Milliseconds between two sweeps, which expire reservations whose time has come; default 1,000. */
  readonly sweepMs: number;
}

/** The schema of the section `[ledger]`. */
export const section: SectionSchema<LedgerSection> = table({
  currency: text.max(16, 'must have at most 16 characters').describe('The currency of the vault, such as ADA.'),
  decimals: whole(0, 18).default(0).describe('How many decimal places of an amount are shown, such as 2 for cents.'),
  name: text.regex(/^[\w.-]{1,64}$/, 'must be 1–64 letters, digits, dots, dashes and underscores').default('main'),
  path: optional(text).describe('The file of a ledger on SQLite. Default: beside the file of the pool.'),
  retentionMs: z
    .union([whole(1, 100 * 365 * 86_400_000), z.literal('never')], 'must be milliseconds or "never"')
    .default('never')
    .describe('How long records are kept at least.'),
  maxRefusals: whole(1, Number.MAX_SAFE_INTEGER)
    .default(10_000)
    .describe('How many refusals of one owner are recorded.'),
  sweepMs: whole(10, maxTimerMs).default(1_000).describe('How often reservations are expired.'),
});
