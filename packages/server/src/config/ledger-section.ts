import { z } from 'zod';
import { flag, maxTimerMs, optional, type SectionSchema, text, whole } from './field-forms.ts';
import type { LedgerSection } from './server-config.ts';

/** The section `[ledger]` as written in the configuration. */
export interface GivenLedger extends Omit<LedgerSection, 'currency'> {
  /** The currency of the vault; `null` if there is no ledger. */
  readonly currency: string | null;
}

/** The schema of the section `[ledger]`. */
export const ledger: SectionSchema<GivenLedger> = z.strictObject(
  {
    currency: optional(text.max(16, 'must have at most 16 characters')).describe(
      'The currency of the vault. Without it there is no ledger.',
    ),
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
    turbo: flag.default(false).describe('true: /turbo speaks the API of turbo-ledger.'),
  },
  'must be a table',
);
