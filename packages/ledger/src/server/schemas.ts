import { z } from 'mempool-server/extension';
import { ledgerLimits } from '../index.ts';

// What requests and answers of the ledger say. The ledger checks the rest, such as lengths: its error names the field.

interface GivenTexts {
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

interface GivenMove extends GivenTexts {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency?: string | undefined;
  readonly signature?: { readonly signer: string; readonly bytes: string } | undefined;
}

interface GivenPost extends GivenTexts {
  readonly amount?: bigint | undefined;
}

/** One call as its request says it. */
export type GivenCall =
  | (GivenMove & { readonly kind?: 'transfer' | undefined })
  | (GivenMove & {
      readonly kind: 'reserve';
      readonly timeoutMs?: number | 'never' | undefined;
      readonly arbiter?: string | undefined;
      readonly payerMayVoid?: boolean | undefined;
    })
  | (GivenPost & { readonly kind: 'post'; readonly pendingId: string })
  | (GivenTexts & { readonly kind: 'void'; readonly pendingId: string });

const wrongAmount = 'must be whole minor units as text, 1 to 9223372036854775807, such as "100"';

/** Whole minor units. */
const amount: z.ZodType<bigint> = z
  .string(wrongAmount)
  .regex(/^[1-9]\d{0,18}$/, wrongAmount)
  .transform(BigInt)
  .refine((value) => value <= ledgerLimits.maxAmount, wrongAmount)
  .openapi({ type: 'string', pattern: '^[1-9][0-9]{0,18}$', description: 'Whole minor units as text.' });

const textsByName = z.record(z.string(), z.string());
/** As it was sent: what a record of zod returns lacks a key `__proto__`. */
const sentMetadata = z.custom<Record<string, string>>().superRefine((given, { addIssue }) => {
  for (const { path, message } of textsByName.safeParse(given).error?.issues ?? [])
    addIssue({ code: 'custom', path: [...path], message });
});
const metadata = sentMetadata.openapi({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Texts by name, at most 4 KB.',
});
const texts = {
  id: z
    .string()
    .optional()
    .openapi({ description: 'The id of this call, if there is no Idempotency-Key. A UUIDv7 is recommended.' }),
  description: z.string().optional(),
  metadata: metadata.optional(),
};
const signature = z
  .strictObject({ signer: z.string(), bytes: z.string() })
  .openapi({ description: 'By the key of the source, over the signed text; both in hexadecimal.' });
const move = {
  ...texts,
  source: z.string(),
  destination: z.string(),
  amount,
  currency: z.string().optional().openapi({ description: 'Default: that of the vault.' }),
  signature: signature.optional(),
};
const timeoutMs = z.union([z.int().min(1), z.literal('never')]);

/** What a post may say beside the id of its reservation. */
export const postBody: z.ZodType<GivenPost> = z.strictObject({ ...texts, amount: amount.optional() });
/** What a void may say beside the id of its reservation. */
export const voidBody: z.ZodType<GivenTexts> = z.strictObject(texts);

/** One call that moves or reserves money, or resolves a reservation. */
export const transferCall: z.ZodType<GivenCall> = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('transfer').optional(), ...move }),
    z.strictObject({
      kind: z.literal('reserve'),
      ...move,
      timeoutMs: timeoutMs.optional(),
      arbiter: z.string().optional().openapi({ description: 'An owner that may post and void it beside the payee.' }),
      payerMayVoid: z.boolean().optional().openapi({ description: 'Whether the payer may void it. Default: false.' }),
    }),
    z.strictObject({ kind: z.literal('post'), ...texts, pendingId: z.string(), amount: amount.optional() }),
    z.strictObject({ kind: z.literal('void'), ...texts, pendingId: z.string() }),
  ])
  .openapi('LedgerCall');

const bigText = z.string().openapi({ description: 'Minor units as text.' });
const time = z.int().openapi({ description: 'Milliseconds since 1970 by the clock of the store.' });

/** A wallet as it is shown. */
export const wallet: z.ZodType = z
  .object({
    ...{ id: z.string(), owner: z.string(), tags: z.array(z.string()), currency: z.string() },
    ...{ balance: bigText, available: bigText, debitsPosted: bigText, creditsPosted: bigText },
    ...{ debitsPending: bigText, creditsPending: bigText, overdraft: z.boolean(), signer: z.string().nullable() },
    ...{ closed: z.boolean(), createdAt: time, createdSeq: z.int(), version: z.int() },
  })
  .openapi('Wallet');

/** A recorded call as it is shown. */
export const transfer: z.ZodType = z
  .object({
    ...{ id: z.string(), kind: z.enum(['transfer', 'reserve', 'post', 'void', 'expire']), outcome: z.string() },
    state: z.enum(['pending', 'posted', 'voided', 'expired', 'refused']),
    ...{ source: z.string(), destination: z.string(), amount: bigText, currency: z.string() },
    ...{ description: z.string(), metadata, pendingId: z.string().nullable(), released: bigText },
    ...{ expiresAt: time.nullable(), arbiter: z.string().nullable(), payerMayVoid: z.boolean() },
    ...{ seq: z.int(), at: time, digest: z.string() },
  })
  .openapi('Transfer');

/** The answer to one call of a batch. */
export const batchItem: z.ZodType = z.object({
  outcome: z.string(),
  replayed: z.boolean(),
  transfer: transfer.nullable(),
});

/** The ledger in short. */
export const overview: z.ZodType = z
  .object({ currency: z.string(), decimals: z.int(), issued: bigText, seq: z.int() })
  .openapi('LedgerOverview');

/** The report of an audit. */
export const audit: z.ZodType = z
  .object({
    ok: z.boolean(),
    faults: z.array(z.object({ kind: z.string(), message: z.string() })),
    ...{ records: z.int(), wallets: z.int(), seq: z.int(), digest: z.string(), at: z.int(), tookMs: z.int() },
  })
  .openapi('Audit');
