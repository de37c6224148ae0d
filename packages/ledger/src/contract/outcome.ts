/**
 * What became of a transfer, a reservation, a post or a void, in the order in which the rules are asked: the first that fits.
 * Those of `unrecordedOutcomes` leave no trace; the others are kept under the id, so that a repeat gets the same answer.
 */
export type TransferOutcome =
  | 'invalid_id'
  | 'invalid_amount'
  | 'id_conflict'
  | 'id_expired'
  | 'signature_invalid'
  | 'same_wallet'
  | 'source_wallet_not_found'
  | 'destination_wallet_not_found'
  | 'wallet_closed'
  | 'currency_mismatch'
  | 'pending_not_found'
  | 'pending_mismatch'
  | 'pending_already_posted'
  | 'pending_already_voided'
  | 'pending_already_expired'
  | 'exceeds_pending_amount'
  | 'insufficient_funds'
  | 'overflow'
  | 'linked_failed'
  | 'too_many_refusals'
  | 'created';

/** Answers that are not kept: the id stays free. */
export const unrecordedOutcomes: ReadonlySet<TransferOutcome> = new Set([
  'invalid_id',
  'invalid_amount',
  'id_conflict',
  'id_expired',
  'signature_invalid',
  'too_many_refusals',
]);

/** `wallet_exists`: the id is taken by a wallet that was created otherwise. */
export type CreateWalletOutcome = 'invalid_id' | 'wallet_exists' | 'created';
export type SetTagsOutcome = 'wallet_not_found' | 'wallet_closed' | 'set';
export type CloseWalletOutcome = 'wallet_not_found' | 'wallet_not_empty' | 'closed';
