import { isUint8Array } from 'node:util/types';
import { invalid } from '../contract/errors.ts';
import { decodeOrderKey, type OrderKey } from '../contract/order-key.ts';
import type {
  CheckedBudget,
  CheckedCallTime,
  CheckedGossipQuery,
  CheckedRevision,
  CheckedSubmission,
} from '../contract/pool-driver.ts';
import type { Budget, CallTime, GossipQuery, Revision, TakeOptions } from '../contract/pool-verbs.ts';
import { isRefusal, type Refusal } from '../contract/verdict.ts';
import { checkHash, maxCallTransactions } from './arguments.ts';
import { checkCount, readList } from './basic-checks.ts';
import { isChecked } from './checked-once.ts';
import { checkNames } from './option-names.ts';
import type { ReadSubmission } from './submissions.ts';
import { checkName, checkVerdict } from './verdicts.ts';

const maxOwnerLength = 128;
const noMoment: CheckedCallTime = Object.freeze({ now: null, height: null });
const budgetNames: ReadonlySet<string> = new Set(['maxBytes', 'maxGas', 'maxTxs', 'skip', 'overheadBytes']);

/** Checks the verdict and the sending peer of each transaction. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkSubmissions(submissions: readonly ReadSubmission[]): CheckedSubmission[] {
  return submissions.map(({ hash, payload, payloadType, verdict, from }, i) => ({
    hash,
    payload,
    payloadType,
    verdict: checkVerdict(`transactions[${i}].verdict`, verdict),
    from: from === undefined ? null : checkName(`transactions[${i}].from`, from, 1),
  }));
}

/** Returns `now` and `height` of the options; `null` if not given. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkCallTime(options: CallTime | undefined): CheckedCallTime {
  if (options === undefined) return noMoment;
  const { now, height } = options;
  return { now: optionalCount('now', now), height: optionalCount('height', height) };
}

/** Checks a budget and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkBudget(budget: Budget): CheckedBudget {
  if (isChecked<CheckedBudget>(budget)) return budget;
  checkNames('budget', budget, budgetNames);
  const limit = (name: 'maxBytes' | 'maxGas' | 'maxTxs' | 'skip' | 'overheadBytes', fallback: number): number => {
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

/** Returns the checked owner and duration of a claim. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkTake(options: TakeOptions): { readonly owner: string; readonly claimMs: number } {
  if (options === undefined) throw invalid('options', 'an object with owner and claimMs');
  const { owner, claimMs } = options;
  if (isChecked(options)) return { owner, claimMs };
  if (typeof owner !== 'string' || owner.length > maxOwnerLength || !/^[\x21-\x7e]+$/.test(owner))
    throw invalid('owner', `1–${maxOwnerLength} printable ASCII characters without spaces`);
  if (!Number.isSafeInteger(claimMs) || claimMs < 1) throw invalid('claimMs', 'a whole number of at least 1');
  return { owner, claimMs };
}

/** Checks the arguments of `since`, except `limit`. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkGossip(
  after: number,
  { except, hashesOnly = false }: GossipQuery = {},
): Omit<CheckedGossipQuery, 'limit'> {
  if (typeof hashesOnly !== 'boolean') throw invalid('hashesOnly', 'true or false');
  return {
    after: checkCount('gossipSeq', after),
    except: except === undefined ? null : checkName('except', except, 1),
    hashesOnly,
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
  if (isChecked<CheckedRevision[]>(revisions)) return revisions;
  const checked = readList('revisions', revisions, { max: maxCallTransactions, what: 'revisions' }, checkRevision);
  if (new Set(checked.map(({ hash }) => hash)).size < checked.length)
    throw invalid('revisions', 'a list without duplicate hashes');
  return checked;
}

function checkRevision(revision: Revision, i: number): CheckedRevision {
  const place = `revisions[${i}]`;
  if (typeof revision !== 'object' || revision === null) throw invalid(place, 'a revision');
  const { hash, version, answer } = revision;
  checkHash(`${place}.hash`, hash);
  checkCount(`${place}.version`, version);
  if (typeof answer !== 'object' || answer === null) throw invalid(`${place}.answer`, 'a verdict or a refusal');
  const check = isRefusal(answer) ? checkRefusal(`${place}.answer`, answer) : checkVerdict(`${place}.answer`, answer);
  return { hash, version, answer: check };
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
