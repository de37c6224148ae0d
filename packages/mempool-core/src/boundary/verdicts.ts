import { invalid } from '../contract/errors.ts';
import {
  type CheckedVerdict,
  defaultVerdict,
  maxPriority,
  minPriority,
  type Verdict,
  verdictFields,
} from '../contract/verdict.ts';
import { checkCount, readList } from './basic-checks.ts';
import { checkFields } from './option-names.ts';

/** The maximum number of tags. A Cardano transaction of 16 KiB can spend about 450 outputs. */
const maxTags = 1_024;
const maxNameLength = 256;
const noTags: readonly string[] = defaultVerdict.provides;

/** Where a verdict stands: its name, or the number of its transaction in a call. */
export type VerdictPlace = string | number;

/** Names a field for an error. It is not called for what is valid: the names would cost as much as the checks. */
function nameOf(place: VerdictPlace, field: string): string {
  return typeof place === 'number' ? `transactions[${place}].verdict.${field}` : `${place}.${field}`;
}

/** Returns a checked copy with the defaults filled in. @throws `ERR_MEMPOOL_INVALID` naming the field below `place` */
export function checkVerdict(place: VerdictPlace, verdict: Verdict | undefined): CheckedVerdict {
  if (verdict === undefined) return defaultVerdict;
  if (typeof verdict !== 'object' || verdict === null)
    throw invalid(typeof place === 'number' ? `transactions[${place}].verdict` : place, 'a verdict');
  checkFields(() => (typeof place === 'number' ? `transactions[${place}].verdict` : place), verdict, verdictFields);
  const plain: CheckedVerdict = {
    priority: checkPriority(place, verdict),
    sender: checkSender(place, verdict.sender ?? ''),
    senderLimit: checkAtLeastOne(place, verdict.senderLimit),
    gas: count(place, 'gas', verdict.gas ?? 0),
    provides: tagsOf(place, 'provides', verdict.provides),
    requires: tagsOf(place, 'requires', verdict.requires),
    expiresAt: optionalCount(place, 'expiresAt', verdict.expiresAt),
    expiresAtHeight: optionalCount(place, 'expiresAtHeight', verdict.expiresAtHeight),
    propagate: checkFlag(place, 'propagate', verdict.propagate ?? true),
  };
  const isProtected = checkFlag(place, 'protected', verdict.protected ?? false);
  const { tip } = verdict;
  if (tip === undefined && !isProtected) return plain;
  return {
    ...plain,
    ...(isProtected && { protected: true }),
    ...(tip !== undefined && { tip }),
  };
}

/** True if every field has its default, so that a fifo pool can ignore the verdict. */
export function saysNothing(verdict: CheckedVerdict): boolean {
  const { provides, requires, ...rest } = verdict;
  const { provides: _, requires: __, ...silent } = defaultVerdict;
  const same = Object.entries(rest).every(([field, value]) => value === silent[field as keyof typeof silent]);
  return same && provides.length === 0 && requires.length === 0;
}

/** The priority, or the most that one with a tip pays (P29). */
function checkPriority(place: VerdictPlace, { priority, maxPriority: most, tip }: Verdict): bigint {
  if (most === undefined && tip === undefined) return checkBigint(place, 'priority', priority ?? 0n, minPriority);
  if (priority !== undefined)
    throw invalid(nameOf(place, 'priority'), 'left out: maxPriority and tip are in its place');
  checkBigint(place, 'tip', tip, 0n);
  return checkBigint(place, 'maxPriority', most, minPriority);
}

function checkBigint(place: VerdictPlace, field: string, value: bigint | undefined, least: bigint): bigint {
  if (typeof value !== 'bigint' || value < least || value > maxPriority)
    throw invalid(nameOf(place, field), least === 0n ? 'a bigint from 0 to 2^63 − 1' : 'a signed 64-bit bigint');
  return value;
}

function checkSender(place: VerdictPlace, sender: string): string {
  return sender === '' ? sender : checkName(nameOf(place, 'sender'), sender, 0);
}

function tagsOf(place: VerdictPlace, field: string, tags: readonly string[] = noTags): readonly string[] {
  return tags === noTags ? noTags : checkTags(nameOf(place, field), tags);
}

function count(place: VerdictPlace, field: string, value: number): number {
  return value === 0 ? 0 : checkCount(nameOf(place, field), value);
}

/** Returns the distinct tags. @throws `ERR_MEMPOOL_INVALID` naming the list or its bad element */
export function checkTags(field: string, tags: readonly string[] = noTags, max: number = maxTags): readonly string[] {
  if (tags === noTags) return noTags;
  const form = { max, what: 'tags' };
  const own = readList(field, tags, form, (tag, i) => checkName(`${field}[${i}]`, tag, 1));
  return own.length === 0 ? noTags : [...new Set(own)];
}

/** Returns `name` if it has `min` to 256 characters. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkName(field: string, name: string, min: number): string {
  if (typeof name !== 'string' || name.length < min || name.length > maxNameLength)
    throw invalid(field, `a string of ${min}–${maxNameLength} characters`);
  if (!name.isWellFormed()) throw invalid(field, 'well-formed Unicode');
  return name;
}

function optionalCount(place: VerdictPlace, field: string, value: number | null | undefined): number | null {
  return value === undefined || value === null ? null : checkCount(nameOf(place, field), value);
}

function checkAtLeastOne(place: VerdictPlace, value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || value < 1)
    throw invalid(nameOf(place, 'senderLimit'), 'a whole number of at least 1');
  return value;
}

function checkFlag(place: VerdictPlace, field: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw invalid(nameOf(place, field), 'true or false');
  return value;
}
