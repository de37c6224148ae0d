import { randomUUID } from 'node:crypto';
import type { Awaitable, ReadContext, WriteContext } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type {
  Budget,
  Candidate,
  Claim,
  ClaimWithPayloads,
  ExtendOptions,
  ExtendOutcome,
  PayloadsOptions,
  ReapedTransaction,
  ReapOptions,
  ReapPayloadsOptions,
  TakenCandidate,
  TakeOptions,
  TakePayloadsOptions,
} from '../contract/pool-verbs.ts';
import type { Transaction } from '../contract/transaction.ts';
import { checkHashes } from './arguments.ts';
import { maxCallTransactions } from './basic-checks.ts';
import type { CallRunner } from './call-runner.ts';
import { fieldsPart, withDigest } from './operation-digest.ts';
import { callNames } from './option-names.ts';
import { checkBudget, checkCallTime, checkExtension, checkReap, checkTake, checkView } from './pool-arguments.ts';

type Read = (hashes: readonly string[]) => Awaitable<(Transaction | null)[]>;
type One<Of = TakenCandidate> = Of & Pick<Transaction, 'payload' | 'payloadType'>;
type IsDamaged = (one: Candidate) => boolean;

// The calls of claims, and those that return payloads with what they select (P8, P19, P32), with the checks of their arguments.

export function reapFrom(
  calls: CallRunner,
  budget: Budget,
  options: ReapOptions | ReapPayloadsOptions | undefined,
): Promise<Candidate[]> {
  const run = (context: ReadContext): Awaitable<Candidate[]> => {
    const { payloads, view } = checkReap(options);
    const reaped = calls.verb('reap')(checkBudget(budget), context);
    if (!payloads) return reaped;
    const read = (hashes: readonly string[]) => calls.verb('payloads')(hashes, { ...context, view });
    const withBodies = (candidates: readonly Candidate[]) =>
      reapedWithPayloads(candidates, read, ({ hash }) => calls.damage.has(hash));
    // At once where the answer is there: no other call comes between.
    return reaped instanceof Promise ? reaped.then(withBodies) : withBodies(reaped);
  };
  return calls.read(options, callNames.reap, run);
}

export function payloadsOf(
  calls: CallRunner,
  hashes: readonly string[],
  options: PayloadsOptions | undefined,
): Promise<(Transaction | null)[]> {
  return calls.read(options, callNames.payloads, (context) => {
    const view = checkView(options);
    return calls.verb('payloads')(checkHashes('hashes', hashes, maxCallTransactions), { ...context, view });
  });
}

export function takeFrom(
  calls: CallRunner,
  budget: Budget,
  options: TakeOptions | TakePayloadsOptions,
): Promise<Claim | ClaimWithPayloads> {
  const run = (context: WriteContext): Awaitable<Claim | ClaimWithPayloads> => {
    const { operationId } = context;
    const { payloads, ...given } = checkTake(options);
    const moment = checkCallTime(options);
    const take = { budget: checkBudget(budget), claimId: operationId ?? randomUUID(), ...given };
    const { owner, claimMs } = given;
    const bound = withDigest(context, 'take', () => [fieldsPart(take.budget), owner, claimMs]);
    const claim = calls.verb('take')(take, moment, bound);
    if (!payloads) return claim;
    // Without the signal: the transactions are taken (R3).
    const read = (hashes: readonly string[]) => calls.verb('payloads')(hashes, { signal: undefined });
    return Promise.resolve(claim).then((taken) => withPayloads(taken, read));
  };
  return calls.write(options, callNames.take, run);
}

export function extendClaimOf(
  calls: CallRunner,
  claimId: string,
  claimMs: number,
  options: ExtendOptions | undefined,
): Promise<ExtendOutcome> {
  return calls.write(options, callNames.moment, (context) => {
    const extension = checkExtension(claimId, claimMs);
    const bound = withDigest(context, 'extendClaim', () => [claimId, claimMs]);
    return calls.verb('extendClaim')(extension, checkCallTime(options), bound);
  });
}

/** The candidates with payloads, without damaged ones (M2). The list ends before the first one that has left the pool meanwhile (P32). */
async function reapedWithPayloads(
  candidates: readonly Candidate[],
  read: Read,
  isDamaged: IsDamaged,
): Promise<ReapedTransaction[]> {
  const reaped: ReapedTransaction[] = [];
  for (let from = 0; from < candidates.length; from += maxCallTransactions) {
    const part = candidates.slice(from, from + maxCallTransactions);
    const found = await readPart(part, read);
    const end = found.findIndex((one, i) => one === null && !isDamaged(part[i] as Candidate));
    reaped.push(...found.slice(0, end < 0 ? undefined : end).filter((one) => one !== null));
    if (end >= 0) break;
  }
  return reaped;
}

/**
 * The claim with payloads. It leaves out what has left the pool since it was taken, and what is damaged: that stays under the claim (M2).
 *
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the store cannot be reached: the transactions are taken already
 */
async function withPayloads(claim: Claim, read: Read): Promise<Claim<One>> {
  const transactions: One[] = [];
  try {
    for (let from = 0; from < claim.transactions.length; from += maxCallTransactions)
      transactions.push(
        ...(await readPart(claim.transactions.slice(from, from + maxCallTransactions), read)).filter(
          (one) => one !== null,
        ),
      );
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'taken, but the payloads were not read', { cause: error });
  }
  return { ...claim, transactions };
}

/** `null` for what has left the pool. */
async function readPart<Of extends Candidate>(part: readonly Of[], read: Read): Promise<(One<Of> | null)[]> {
  const bodies = await read(part.map(({ hash }) => hash));
  return part.map((one, i) => {
    const body = bodies[i] ?? null;
    return body && { ...one, payload: body.payload, payloadType: body.payloadType };
  });
}
