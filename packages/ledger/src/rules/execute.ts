import { outcomeOfRaw, refusedText, transferOfRaw } from '../codec/record-text.ts';
import { ledgerLimits } from '../contract/limits.ts';
import { type TransferOutcome, unrecordedOutcomes } from '../contract/outcome.ts';
import type { StoredTransfer } from '../contract/record.ts';
import type { MoveRequest, TransferRequest } from '../contract/request.ts';
import type { MarkChange, SettleAnswer, StoreAnswer } from '../contract/store.ts';
import { carryOutMove, moveOutcome } from './move.ts';
import { carryOutResolve, resolveOutcome } from './resolve.ts';
import type { StepBuilder } from './step-builder.ts';

/** The options of a ledger that the rules need. */
export interface RuleOptions {
  readonly retentionMs: number | null;
  readonly maxRefusals: number;
}

/** Executes requests in order, each independently. A refused one only adds its own record. */
export function execute(
  step: StepBuilder,
  requests: readonly TransferRequest[],
  options: RuleOptions,
): readonly StoreAnswer[] {
  return requests.map((request) => {
    const known = replayOf(step, request);
    if (known !== null) return known;
    const outcome = outcomeOf(step, request, options);
    return outcome === 'created' ? carryOut(step, request) : refuse(step, request, outcome, options);
  });
}

/**
 * Executes all requests or none. If one is refused, the changes of those before it are undone, and each request without an earlier
 * answer has the outcome `linked_failed`. A request that succeeded in an earlier call counts as done. One that was refused in an earlier
 * call fails the chain.
 */
export function executeLinked(
  step: StepBuilder,
  requests: readonly TransferRequest[],
  options: RuleOptions,
): readonly StoreAnswer[] {
  step.save();
  const done: StoreAnswer[] = [];
  for (const request of requests) {
    const known = replayOf(step, request);
    const outcome = known?.outcome ?? outcomeOf(step, request, options);
    if (outcome !== 'created') return failChain(step, requests, { at: done.length, outcome }, options);
    done.push(known ?? carryOut(step, request));
  }
  return done;
}

interface Failure {
  readonly at: number;
  readonly outcome: TransferOutcome;
}

function failChain(
  step: StepBuilder,
  requests: readonly TransferRequest[],
  { at, outcome }: Failure,
  options: RuleOptions,
): readonly StoreAnswer[] {
  step.takeBack();
  return requests.map(
    (request, index) =>
      replayOf(step, request) ?? refuse(step, request, index === at ? outcome : 'linked_failed', options),
  );
}

/** Executes all requests and changes the marks of a coupling, or changes nothing. */
export function settle(
  step: StepBuilder,
  coupling: string,
  requests: readonly TransferRequest[],
  changes: readonly MarkChange[],
): SettleAnswer {
  if (changes.some(({ hash, before }) => step.mark(coupling, hash) !== before))
    return { outcome: 'changed', stored: [] };
  step.save();
  const stored: StoredTransfer[] = [];
  for (const request of requests) {
    const outcome = step.transfer(request.id) === null ? moneyOutcome(step, request) : 'id_conflict';
    const answer = outcome === 'created' ? carryOut(step, request) : null;
    if (answer?.stored) {
      stored.push(answer.stored);
      continue;
    }
    step.takeBack();
    return { outcome, stored: [] };
  }
  for (const { hash, after } of changes) step.setMark(coupling, hash, after);
  return { outcome: 'settled', stored };
}

/** The answer that an id has already, or `id_conflict`; `null` for a new id. */
function replayOf(step: StepBuilder, request: TransferRequest): StoreAnswer | null {
  const known = step.transfer(request.id);
  if (known === null) return null;
  return known.raw.content === request.content ? answerOf(known, true) : unrecorded('id_conflict');
}

/** Which rule refuses the request; `created` if none does. */
function outcomeOf(step: StepBuilder, request: TransferRequest, options: RuleOptions): TransferOutcome {
  return (isResolve(request) ? null : idOutcome(step, request, options)) ?? moneyOutcome(step, request);
}

/**
 * Which rule refuses the id; `null` if none does. Its record may be gone, also under a retention that was shorter than the one of now. Once
 * records were trimmed, that is so for every id without a time.
 */
function idOutcome(
  { at, trimmedAt }: StepBuilder,
  { issuedAt }: MoveRequest,
  { retentionMs }: RuleOptions,
): TransferOutcome | null {
  if (issuedAt === null) return trimmedAt === null ? null : 'invalid_id';
  if (retentionMs !== null && issuedAt > at + ledgerLimits.maxClockAheadMs) return 'invalid_id';
  if (retentionMs !== null && issuedAt < at - retentionMs) return 'id_expired';
  return trimmedAt !== null && issuedAt <= trimmedAt + ledgerLimits.maxClockAheadMs ? 'id_expired' : null;
}

function moneyOutcome(step: StepBuilder, request: TransferRequest): TransferOutcome {
  return isResolve(request) ? resolveOutcome(step, request) : moveOutcome(step, request);
}

function carryOut(step: StepBuilder, request: TransferRequest): StoreAnswer {
  const stored = isResolve(request) ? carryOutResolve(step, request) : carryOutMove(step, request);
  return answerOf(stored, false);
}

function refuse(
  step: StepBuilder,
  request: TransferRequest,
  outcome: TransferOutcome,
  { maxRefusals }: RuleOptions,
): StoreAnswer {
  if (unrecordedOutcomes.has(outcome)) return unrecorded(outcome);
  const owner = ownerOf(step, request);
  if (step.refusals(owner) >= maxRefusals) return unrecorded('too_many_refusals');
  const raw = step.append({
    type: 'transfer',
    id: request.id,
    content: request.content,
    result: refusedText(outcome, owner),
  });
  step.countRefusal(owner);
  return answerOf(step.keepTransfer(raw, 'refused'), false);
}

/** Whose refusals are counted: the owner of the wallet that was to pay, `''` if it is not known. */
function ownerOf(step: StepBuilder, request: TransferRequest): string {
  if (!isResolve(request)) return step.wallet(request.source)?.owner ?? '';
  const reservation = step.transfer(request.pendingId);
  return reservation === null ? '' : (step.wallet(transferOfRaw(reservation.raw).source)?.owner ?? '');
}

function answerOf(stored: StoredTransfer, replayed: boolean): StoreAnswer {
  return { outcome: outcomeOfRaw(stored.raw), stored, replayed };
}

function unrecorded(outcome: TransferOutcome): StoreAnswer {
  return { outcome, stored: null, replayed: false };
}

function isResolve(request: TransferRequest): request is Extract<TransferRequest, { kind: 'post' | 'void' }> {
  return request.kind === 'post' || request.kind === 'void';
}
