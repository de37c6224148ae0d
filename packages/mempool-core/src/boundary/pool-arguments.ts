import { isUint8Array } from 'node:util/types';
import type { ClaimContext, DropOptions, ReleaseOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import { decodeOrderKey, type OrderKey } from '../contract/order-key.ts';
import type {
  CheckedBudget,
  CheckedCallTime,
  CheckedExtension,
  CheckedGossipQuery,
  CheckedRevision,
  CheckedSweep,
} from '../contract/pool-driver.ts';
import type {
  Budget,
  CallTime,
  GossipQuery,
  PayloadsOptions,
  ReapOptions,
  ReapPayloadsOptions,
  Revision,
  SweepOptions,
  TakeOptions,
  TakePayloadsOptions,
} from '../contract/pool-verbs.ts';
import { isRefusal, type Refusal } from '../contract/verdict.ts';
import { checkHash, isOperationId } from './arguments.ts';
import { checkCount, maxCallTransactions, readList } from './basic-checks.ts';
import { checkNames } from './option-names.ts';
import { checkName, checkVerdict } from './verdicts.ts';

const maxOwnerLength = 128;
const noMoment: CheckedCallTime = Object.freeze({ now: null, height: null });
const budgetNames: ReadonlySet<string> = new Set(['maxBytes', 'maxGas', 'maxTxs', 'skip', 'overheadBytes']);

/** Returns `now` and `height` of the options; `null` if not given. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkCallTime(options: CallTime | undefined): CheckedCallTime {
  if (options === undefined) return noMoment;
  const { now, height } = options;
  return { now: optionalCount('now', now), height: optionalCount('height', height) };
}

const maxTagLength = 256;

/** Returns the tag if it is valid. @throws `ERR_MEMPOOL_INVALID` naming `tag` */
export function checkTag(tag: string): string {
  if (typeof tag !== 'string' || tag.length < 1 || tag.length > maxTagLength || !tag.isWellFormed())
    throw invalid('tag', `a string of 1–${maxTagLength} characters of well-formed Unicode`);
  return tag;
}

/** Returns the key after which `bySender` goes on; '' begins at the first. @throws `ERR_MEMPOOL_INVALID` naming `after` */
export function checkSenderKey(after: string | undefined): string {
  if (after === undefined) return '';
  if (typeof after !== 'string' || !/^(f[0-9a-f]{14}|p[01][0-9a-f]{52})$/.test(after))
    throw invalid('after', 'a key that bySender returned');
  return after;
}

/** Checks a budget and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkBudget(budget: Budget): CheckedBudget {
  checkNames('budget', budget, budgetNames);
  const limit = (name: keyof Budget, fallback: number): number => {
    const value = budget[name] ?? fallback;
    return value === Number.POSITIVE_INFINITY && name.startsWith('max') ? value : checkCount(`budget.${name}`, value);
  };
  return {
    maxBytes: limit('maxBytes', Number.POSITIVE_INFINITY),
    maxGas: limit('maxGas', Number.POSITIVE_INFINITY),
    maxTxs: limit('maxTxs', Number.POSITIVE_INFINITY),
    skip: limit('skip', 0),
    overheadBytes: limit('overheadBytes', 0),
  };
}

/** Returns the checked `owner`, `claimMs` and `payloads` of a `take`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkTake(options: TakeOptions | TakePayloadsOptions): CheckedTakeOptions {
  if (options === undefined) throw invalid('options', 'an object with owner and claimMs');
  const { owner, claimMs, payloads } = options;
  if (typeof owner !== 'string' || owner.length > maxOwnerLength || !/^[\x21-\x7e]+$/.test(owner))
    throw invalid('owner', `1–${maxOwnerLength} printable ASCII characters without spaces`);
  return { owner, claimMs: checkClaimMs(claimMs), payloads: checkSwitch('payloads', payloads) };
}

/** Returns the checked wish for payloads, and for views of them, of a `reap`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkReap(options: ReapOptions | ReapPayloadsOptions | undefined): CheckedReapOptions {
  const payloads = checkSwitch('payloads', options?.payloads);
  const view = checkView(options as ReapPayloadsOptions | undefined);
  if (view && !payloads) throw invalid('view', 'true only with payloads');
  return { payloads, view };
}

/** @throws `ERR_MEMPOOL_INVALID` naming `view` */
export function checkView(options: PayloadsOptions | undefined): boolean {
  return checkSwitch('view', options?.view);
}

interface CheckedReapOptions {
  readonly payloads: boolean;
  readonly view: boolean;
}

interface CheckedTakeOptions {
  readonly owner: string;
  readonly claimMs: number;
  readonly payloads: boolean;
}

/** Checks the arguments of `extendClaim`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkExtension(claimId: string, claimMs: number): CheckedExtension {
  return { claimId: checkClaimId('claimId', claimId), claimMs: checkClaimMs(claimMs) };
}

function checkClaimMs(claimMs: number): number {
  if (!Number.isSafeInteger(claimMs) || claimMs < 1) throw invalid('claimMs', 'a whole number of at least 1');
  return claimMs;
}

function checkClaimId(field: string, id: string): string {
  if (!isOperationId(id)) throw invalid(field, 'the id of a claim: 1–128 printable ASCII characters');
  return id;
}

/** Returns the checked options of `sweep`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkSweep(options: SweepOptions | undefined): CheckedSweep {
  return { ...checkCallTime(options), overLimits: checkSwitch('overLimits', options?.overLimits) };
}

/**
 * Checks the options that `release` and `drop` share. Returns those that were given: `claim`, `notBeforeMs`, `descendants`.
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkGuard(
  options: (ReleaseOptions & DropOptions) | undefined,
): Pick<ClaimContext, 'claim' | 'notBeforeMs' | 'descendants'> {
  const { claim, notBeforeMs, descendants } = options ?? {};
  return {
    ...(checkSwitch('descendants', descendants) && { descendants: true }),
    ...(claim !== undefined && { claim: checkClaimId('claim', claim) }),
    ...(notBeforeMs !== undefined && { notBeforeMs: checkCount('notBeforeMs', notBeforeMs) }),
  };
}

function checkSwitch(field: string, value: boolean | undefined): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(field, 'true or false');
  return value === true;
}

/** Checks `except` and `hashesOnly` of `since`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkGossip({ except, hashesOnly }: GossipQuery = {}): Omit<CheckedGossipQuery, 'after' | 'limit'> {
  return {
    except: except === undefined ? null : checkName('except', except, 1),
    hashesOnly: checkSwitch('hashesOnly', hashesOnly),
  };
}

/** Decodes the sort key at which a page of `best` starts. @throws `ERR_MEMPOOL_INVALID` naming `after` */
export function checkKey(after: string | undefined): OrderKey | null {
  if (after === undefined) return null;
  const place = typeof after === 'string' ? decodeOrderKey(after) : null;
  if (place === null) throw invalid('after', 'a key that best returned');
  return place;
}

/** Returns a checked copy of the revisions. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkRevisions(revisions: readonly Revision[]): CheckedRevision[] {
  const checked = readList('revisions', revisions, { max: maxCallTransactions, what: 'revisions' }, checkRevision);
  if (new Set(checked.map(({ hash }) => hash)).size < checked.length)
    throw invalid('revisions', 'a list without duplicate hashes');
  return checked;
}

function checkRevision(revision: Revision, i: number): CheckedRevision {
  const place = `revisions[${i}]`;
  if (typeof revision !== 'object' || revision === null) throw invalid(place, 'a revision');
  const { hash, version, answer } = revision;
  const own = checkHash(`${place}.hash`, hash);
  checkCount(`${place}.version`, version);
  if (typeof answer !== 'object' || answer === null) throw invalid(`${place}.answer`, 'a verdict or a refusal');
  const check = isRefusal(answer) ? checkRefusal(`${place}.answer`, answer) : checkVerdict(`${place}.answer`, answer);
  return { hash: own, version, answer: check };
}

/** Returns a checked copy of the refusal. @throws `ERR_MEMPOOL_INVALID` naming the field below `place` */
export function checkRefusal(place: string, { code, log, penalize, data, info, codespace }: Refusal): Refusal {
  if (!Number.isSafeInteger(code) || code < 1) throw invalid(`${place}.code`, 'a whole number of at least 1');
  if (typeof log !== 'string') throw invalid(`${place}.log`, 'a string');
  if (typeof penalize !== 'boolean') throw invalid(`${place}.penalize`, 'true or false');
  if (data !== undefined && !isUint8Array(data)) throw invalid(`${place}.data`, 'a Uint8Array');
  if (info !== undefined && typeof info !== 'string') throw invalid(`${place}.info`, 'a string');
  if (codespace !== undefined && typeof codespace !== 'string') throw invalid(`${place}.codespace`, 'a string');
  const room = { data: data && Uint8Array.from(data), info, codespace };
  return { code, log, penalize, ...room };
}

function optionalCount(field: string, value: number | undefined): number | null {
  return value === undefined ? null : checkCount(field, value);
}
