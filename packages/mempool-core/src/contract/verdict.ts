import { checkCount } from '../boundary/count.ts';
import { readList } from '../boundary/list.ts';
import { invalid } from './errors.ts';

/** What the application says of a transaction that it takes. What is left out is the default. */
export interface Verdict {
  /** A rate, such as fee per byte or gas: higher goes first. An int64; default 0n. */
  readonly priority?: bigint | undefined;
  /** Whose it is, up to 256 characters; default '', which no limit per sender counts. */
  readonly sender?: string | undefined;
  /** Transactions of this sender in the pool at the most, this one included; at least 1. */
  readonly senderLimit?: number | undefined;
  /** What it takes of a block's gas: a safe integer; default 0. */
  readonly gas?: number | undefined;
  /** What it alone may bring about: a nonce of an account, the outputs it spends or makes. At most 1,024 tags. */
  readonly provides?: readonly string[] | undefined;
  /** What must come before it: tags of others, or of the chain. At most 1,024 tags. */
  readonly requires?: readonly string[] | undefined;
  /** Milliseconds since 1970 by the pool's clock; it may wait until then, that moment included. */
  readonly expiresAt?: number | undefined;
  /** Height up to which it may wait, that height included. */
  readonly expiresAtHeight?: number | undefined;
  /** Whether `since` may hand it to peers; default true. */
  readonly propagate?: boolean | undefined;
}

/** A verdict with every field, checked, and the pool's own. */
export interface CheckedVerdict {
  readonly priority: bigint;
  readonly sender: string;
  readonly senderLimit: number | null;
  readonly gas: number;
  /** Without repeats, in the order given. */
  readonly provides: readonly string[];
  readonly requires: readonly string[];
  readonly expiresAt: number | null;
  readonly expiresAtHeight: number | null;
  readonly propagate: boolean;
}

/** What the application says of a transaction that it does not take; the names are those of CheckTx. */
export interface Refusal {
  /** The application's own; not 0. */
  readonly code: number;
  readonly log: string;
  /** Whether the peer that sent it deserves a penalty. */
  readonly penalize: boolean;
  readonly data?: Uint8Array | undefined;
  readonly info?: string | undefined;
  readonly codespace?: string | undefined;
}

export const minPriority: bigint = -(2n ** 63n);
export const maxPriority: bigint = 2n ** 63n - 1n;
/** A Cardano transaction of 16 KiB may spend some 450 outputs. */
const maxTags = 1_024;
const maxNameLength = 256;

const none: readonly string[] = Object.freeze([]);

/** The verdict of who says nothing. */
export const defaultVerdict: CheckedVerdict = Object.freeze({
  priority: 0n,
  sender: '',
  senderLimit: null,
  gas: 0,
  provides: none,
  requires: none,
  expiresAt: null,
  expiresAtHeight: null,
  propagate: true,
});

/** @throws `ERR_MEMPOOL_INVALID` naming the field below `place` */
export function checkVerdict(place: string, verdict: Verdict | undefined): CheckedVerdict {
  if (verdict === undefined) return defaultVerdict;
  if (typeof verdict !== 'object' || verdict === null) throw invalid(place, 'a verdict');
  return {
    priority: checkPriority(`${place}.priority`, verdict.priority ?? 0n),
    sender: checkName(`${place}.sender`, verdict.sender ?? '', 0),
    senderLimit: checkAtLeastOne(`${place}.senderLimit`, verdict.senderLimit),
    gas: checkCount(`${place}.gas`, verdict.gas ?? 0),
    provides: checkTags(`${place}.provides`, verdict.provides),
    requires: checkTags(`${place}.requires`, verdict.requires),
    expiresAt: optionalCount(`${place}.expiresAt`, verdict.expiresAt),
    expiresAtHeight: optionalCount(`${place}.expiresAtHeight`, verdict.expiresAtHeight),
    propagate: checkFlag(`${place}.propagate`, verdict.propagate ?? true),
  };
}

/** Whether it says anything that a pool in order of arrival would have to forget. */
export function saysNothing(verdict: CheckedVerdict): boolean {
  const { provides, requires, ...rest } = verdict;
  const { provides: _, requires: __, ...silent } = defaultVerdict;
  const same = Object.entries(rest).every(([field, value]) => value === silent[field as keyof typeof silent]);
  return same && provides.length === 0 && requires.length === 0;
}

/** A refusal has a code, a verdict has none. */
export function isRefusal(answer: Verdict | Refusal): answer is Refusal {
  return typeof answer === 'object' && answer !== null && 'code' in answer;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
function checkPriority(field: string, priority: bigint): bigint {
  if (typeof priority !== 'bigint' || priority < minPriority || priority > maxPriority)
    throw invalid(field, 'a bigint of 64 bits with sign');
  return priority;
}

/** Distinct tags, each read once. @throws `ERR_MEMPOOL_INVALID` naming the place */
export function checkTags(field: string, tags: readonly string[] = none, max: number = maxTags): readonly string[] {
  if (tags === none) return none;
  const form = { max, what: 'tags' };
  const own = readList(field, tags, form, (tag, i) => checkName(`${field}[${i}]`, tag, 1));
  return own.length === 0 ? none : [...new Set(own)];
}

/** @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkName(field: string, name: string, min: number): string {
  if (typeof name !== 'string' || name.length < min || name.length > maxNameLength)
    throw invalid(field, `a string of ${min}–${maxNameLength} characters`);
  if (!name.isWellFormed()) throw invalid(field, 'well-formed Unicode');
  return name;
}

function optionalCount(field: string, value: number | undefined): number | null {
  return value === undefined ? null : checkCount(field, value);
}

function checkAtLeastOne(field: string, value: number | undefined): number | null {
  if (value === undefined) return null;
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(field, 'a whole number of at least 1');
  return value;
}

function checkFlag(field: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw invalid(field, 'true or false');
  return value;
}
