import { expireId, expireText } from '../codec/content.ts';
import { createdText, type Resolved, transferOfRaw } from '../codec/record-text.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { StoredTransfer } from '../contract/record.ts';
import type { ResolveRequest } from '../contract/request.ts';
import type { SweepAnswer } from '../contract/store.ts';
import type { Transfer, TransferState } from '../contract/transfer.ts';
import { changeWallet } from './move.ts';
import type { StepBuilder } from './step-builder.ts';

/** Returns the refusal of a post or void, or `created`. A reservation whose time has come counts as expired, even before the sweep. */
export function resolveOutcome(step: StepBuilder, { pendingId, amount }: ResolveRequest): TransferOutcome {
  const stored = step.transfer(pendingId);
  const reservation = stored === null ? null : transferOfRaw(stored.raw);
  if (stored === null || reservation === null || stored.state === 'refused') return 'pending_not_found';
  if (reservation.kind !== 'reserve') return 'pending_mismatch';
  if (stored.state === 'posted') return 'pending_already_posted';
  if (stored.state === 'voided') return 'pending_already_voided';
  const { expiresAt } = reservation;
  if (stored.state === 'expired' || (expiresAt !== null && expiresAt <= step.at)) return 'pending_already_expired';
  return amount !== null && amount > reservation.amount ? 'exceeds_pending_amount' : 'created';
}

/** Records a post or void that no rule refuses. The amount that is not posted is released. */
export function carryOutResolve(step: StepBuilder, request: ResolveRequest): StoredTransfer {
  const { kind, id, content, pendingId, amount } = request;
  const stored = reservationOf(step, pendingId);
  const { amount: reserved } = transferOfRaw(stored.raw);
  const moved = kind === 'void' ? 0n : (amount ?? reserved);
  return release(step, stored, { id, content, moved, state: kind === 'void' ? 'voided' : 'posted' });
}

/** Expires the reservations that are due, at most `limit`. */
export function expireDue(step: StepBuilder, limit: number): SweepAnswer {
  const due = step.due(step.at, limit + 1);
  for (const id of due.slice(0, limit)) expire(step, id);
  return { count: Math.min(due.length, limit), more: due.length > limit };
}

function expire(step: StepBuilder, pendingId: string): void {
  const stored = reservationOf(step, pendingId);
  const record = { id: expireId(stored.raw.seq), content: expireText(pendingId) };
  release(step, stored, { ...record, moved: 0n, state: 'expired' });
}

interface Release {
  readonly id: string;
  readonly content: string;
  readonly moved: bigint;
  readonly state: TransferState;
}

function release(step: StepBuilder, stored: StoredTransfer, { id, content, moved, state }: Release): StoredTransfer {
  const resolved = resolvedOf(transferOfRaw(stored.raw), moved);
  const raw = step.append({ type: 'transfer', id, content, result: createdText(resolved) });
  const { source, destination, released } = resolved;
  changeWallet(step, source, { debitsPending: -released, debitsPosted: moved });
  changeWallet(step, destination, { creditsPending: -released, creditsPosted: moved });
  step.resolve(stored, state);
  return step.keepTransfer(raw, state);
}

function resolvedOf({ source, destination, currency, amount }: Transfer, moved: bigint): Resolved {
  return { source, destination, currency, amount: moved, released: amount };
}

function reservationOf(step: StepBuilder, id: string): StoredTransfer {
  const stored = step.transfer(id);
  if (stored === null) throw new TypeError(`reservation ${id} is gone within its step`);
  return stored;
}
