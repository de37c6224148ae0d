import { z } from '@hono/zod-openapi';
import {
  type Budget,
  type ChainPoint,
  type DropReason,
  knownStages,
  type Lease,
  limitNames,
  poolReasons,
  type Verdict,
} from 'mempool-core';

// What requests may say. The pool checks the rest, such as the form of a tag: its error names the field.

/** A whole number that JSON and JavaScript agree on. */
export const count: z.ZodType<number> = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** A time or a number of a query, whose parameters are text. */
export const countText: z.ZodType<number> = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0 });
/** The number of entries of a page. */
export const pageLimit: z.ZodType<number> = z
  .string()
  .regex(/^(?:[1-9]\d{0,2}|1000)$/, 'must be a whole number of 1–1,000')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 1, maximum: 1000, default: 100 });
export const flagText: z.ZodType<boolean> = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean' });
/** A duration of a query, in milliseconds: `30s`, `500ms`, `2m`, `1h`, or a number of milliseconds. */
export const duration: z.ZodType<number> = z
  .string()
  .regex(/^\d{1,10}(?:ms|s|m|h)?$/, 'must be a duration such as 30s, 500ms or 2m')
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.replace(/^\d+/, '')] ?? 1))
  .openapi({ type: 'string', pattern: '^\\d{1,10}(ms|s|m|h)?$' });
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** An opaque position: `next` of a page, the id of an event. */
export const cursor: z.ZodType<string> = z.string().min(1).max(200);

export const hash: z.ZodType<string> = z
  .string()
  .regex(/^(?:0[xX])?(?:[0-9a-fA-F]{2}){1,64}$/, 'must be hex of 1–64 bytes')
  .openapi('Hash', { description: 'Hex of 1–64 bytes. Answers have it in lower case without 0x.' });
export const blockHash: z.ZodType<string> = z.string().regex(/^(?:0[xX])?[0-9a-fA-F]{64}$/, 'must be hex of 32 bytes');
export const point: z.ZodType<ChainPoint> = z
  .strictObject({ slot: count, hash: blockHash })
  .openapi('ChainPoint', { description: 'A block of the chain.' });
const bigText = (least: bigint, most: bigint): z.ZodType<bigint> =>
  z
    .string()
    .regex(/^-?\d{1,19}$/, 'must be a whole number as text')
    .transform(BigInt)
    .refine((value) => value >= least && value <= most, 'must be a signed 64-bit number')
    .openapi({ type: 'string', pattern: '^-?[0-9]{1,19}$' });
export const priority: z.ZodType<bigint> = bigText(-(2n ** 63n), 2n ** 63n - 1n);
const tags = z.array(z.string().max(256)).max(1024);

export const verdict: z.ZodType<Verdict> = z
  .strictObject({
    priority: priority.optional(),
    maxPriority: priority.optional(),
    tip: bigText(0n, 2n ** 63n - 1n).optional(),
    sender: z.string().max(256).optional(),
    senderLimit: z.int().min(1).nullable().optional(),
    gas: count.optional(),
    provides: tags.optional(),
    requires: tags.optional(),
    expiresAt: count.nullable().optional(),
    expiresAtHeight: count.nullable().optional(),
    propagate: z.boolean().optional(),
    protected: z.boolean().optional(),
  })
  .openapi('Verdict', { description: "The application's verdict. Priority pools only." });

export const lease: z.ZodType<Lease> = z
  .strictObject({ nodeId: z.string().max(128), token: z.string().max(128), term: z.int().min(1) })
  .openapi('Lease', { description: "The leader's lease. Without it, a call is fenced while any node leads." });

export const dropReason: z.ZodType<DropReason> = z
  .union([z.enum(poolReasons), z.strictObject({ app: z.string().min(1).max(256) })])
  .openapi('DropReason');

type BudgetForms = { readonly [K in keyof Budget]-?: z.ZodType<number | undefined> };

function budgetOf(form: z.ZodType<number>): BudgetForms {
  const field = form.optional();
  return { maxBytes: field, maxGas: field, maxTxs: field, skip: field, overheadBytes: field };
}

/** The fields of a budget. */
export const budgetFields: BudgetForms = budgetOf(count);
/** The same in a query. */
export const budgetQuery: BudgetForms = budgetOf(countText);

// What answers say.

const time = z.int().openapi({ description: 'Milliseconds since 1970 by the clock of the pool.' });
const stage = z.enum([...knownStages, 'Unknown']);
const counters = { confirmations: z.int(), nonConfirmations: z.int() };
const never = z.union([z.number(), z.literal('never')]);
const bigNumber = z.string().openapi({ description: 'A big number as text.' });
const shownReason = z.union([z.string(), z.object({ app: z.string() })]).nullable();
const shownPoint = z.object({ slot: z.int(), hash: z.string() });

const transition = z
  .object({
    ...{ cursor: z.string(), eventSeq: z.int(), at: time.nullable() },
    ...{ stage, cause: z.string(), previous: z.object({ stage, ...counters }) },
    ...{ point: shownPoint.nullable(), reason: shownReason, attempts: z.int(), ...counters },
  })
  .openapi('Transition');

export const status: z.ZodType = z
  .object({
    hash: z.string(),
    stage,
    ...counters,
    confirmedAt: shownPoint.nullable(),
    reason: shownReason,
    receivedAt: time.nullable(),
    attempts: z.int(),
    notBefore: time.nullable(),
    waited: z.enum(['reached', 'dropped', 'timeout']).optional(),
    history: z.object({ items: z.array(transition), complete: z.boolean() }).optional(),
  })
  .openapi('TransactionStatus');

export const outcome: z.ZodType = z
  .looseObject({ kind: z.string(), hash: z.string() })
  .openapi('ReceiveOutcome', { description: 'received, duplicate, or why the transaction was refused.' });

export const listed: z.ZodType = z
  .looseObject({ hash: z.string(), bytes: z.int(), seq: z.int() })
  .openapi('ListedTransaction');

/** A page of these items. */
export function pageOf(item: z.ZodType): z.ZodType {
  return z.object({
    items: z.array(item),
    next: z.string().nullable(),
    missed: z.int().optional(),
  });
}

export const tip: z.ZodType = z
  .object({ point: shownPoint.nullable(), tick: z.int(), epoch: z.string() })
  .openapi('Tip');

export const usage: z.ZodType = z
  .looseObject({
    ...{ pending: z.int(), held: z.int(), propagated: z.int(), acknowledged: z.int(), confirmed: z.int() },
    ...{ logged: z.int(), lastLogSeq: z.int(), lastSeq: z.int(), lastEventSeq: z.int(), epoch: z.string() },
    cursors: z.object({ events: z.string(), log: z.string(), gossip: z.string() }),
    oldestInflight: z.object({ hash: z.string(), sentAt: time }).nullable(),
  })
  .openapi('Usage');

export const candidate: z.ZodType = z
  .object({
    hash: z.string(),
    seq: z.int(),
    bytes: z.int(),
    gas: z.int(),
    priority: bigNumber,
  })
  .openapi('Candidate');

export const claim: z.ZodType = z
  .object({
    claimId: z.string(),
    owner: z.string(),
    untilMs: time,
    transactions: z.array(z.looseObject({ hash: z.string() })),
  })
  .openapi('Claim');

export const limits: z.ZodType = z
  .object({
    ...Object.fromEntries(limitNames.map((name) => [name, never])),
    replacementBump: z.int(),
    minPriority: bigNumber,
    eviction: z.enum(['lowest', 'none']),
  })
  .partial()
  .openapi('Limits');

/** An answer with a `kind` that says what was done. */
export const kinded: z.ZodType = z.looseObject({ kind: z.string(), tip: tip.optional() }).openapi('Outcome');
