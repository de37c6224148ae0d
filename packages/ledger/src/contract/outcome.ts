/**
 * The outcome of a transfer, a reservation, a post or a void. Rules are checked in this order, and the first that applies decides.
 * Outcomes in `unrecordedOutcomes` are not stored. The others are stored under the id, so that a repeat returns the same answer.
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

/** Outcomes that are not stored, so the id can still be used. */
export const unrecordedOutcomes: ReadonlySet<TransferOutcome> = new Set([
  'invalid_id',
  'invalid_amount',
  'id_conflict',
  'id_expired',
  'signature_invalid',
  'too_many_refusals',
]);

/** The outcome of `createWallet`. `wallet_exists` means that there is a wallet with this id but with other arguments. */
export type CreateWalletOutcome = 'invalid_id' | 'wallet_exists' | 'created';
export type SetTagsOutcome = 'wallet_not_found' | 'wallet_closed' | 'set';
export type CloseWalletOutcome = 'wallet_not_found' | 'wallet_not_empty' | 'closed';
