import { Problem, type ServerErrorCode } from 'mempool-server/extension';
import type { CloseWalletOutcome, CreateWalletOutcome, SetTagsOutcome, TransferOutcome } from '../index.ts';

/** Every outcome of a ledger that is a refusal. */
export type Refusal = Exclude<
  TransferOutcome | CreateWalletOutcome | SetTagsOutcome | CloseWalletOutcome,
  'created' | 'set' | 'closed'
>;

/** 400: malformed. 404: something is not known. 409: not in this state. 422: refused by a rule. */
const answers: Readonly<Record<Refusal, readonly [status: number, detail: string]>> = {
  invalid_id: [400, 'An id is malformed.'],
  invalid_amount: [400, 'The amount is not whole minor units from 1 to 2^63 − 1.'],
  id_conflict: [409, 'The id was used for another call.'],
  id_expired: [409, 'The id is older than the ledger keeps records.'],
  signature_invalid: [422, 'The source demands a signature by its key.'],
  same_wallet: [422, 'Source and destination are the same wallet.'],
  source_wallet_not_found: [404, 'There is no such source.'],
  destination_wallet_not_found: [404, 'There is no such destination.'],
  wallet_closed: [409, 'A wallet is closed.'],
  currency_mismatch: [422, 'A wallet has another currency.'],
  pending_not_found: [404, 'There is no such reservation.'],
  pending_mismatch: [422, 'The id is that of a transfer, not of a reservation.'],
  pending_already_posted: [409, 'The reservation was posted.'],
  pending_already_voided: [409, 'The reservation was voided.'],
  pending_already_expired: [409, 'The reservation has expired.'],
  exceeds_pending_amount: [422, 'The reservation holds less.'],
  insufficient_funds: [422, 'The source has not enough money.'],
  overflow: [422, 'A total of a wallet would exceed 2^63 − 1.'],
  linked_failed: [422, 'Another call of the chain was refused.'],
  too_many_refusals: [429, 'Too many refusals of this owner are recorded. Nothing more is recorded for it.'],
  wallet_exists: [409, 'There is a wallet with this id that was created otherwise.'],
  wallet_not_found: [404, 'There is no such wallet.'],
  wallet_not_empty: [409, 'The wallet holds money, or has reserved some.'],
};

const codes: Readonly<Record<number, ServerErrorCode>> = { 400: 'ERR_SERVER_REQUEST', 404: 'ERR_SERVER_NOT_FOUND' };

/** The answer to a refusal; its member `outcome` is the ledger's word for it. */
export function outcomeProblem(
  outcome: Refusal,
  members: Readonly<Record<string, unknown>> = {},
  headers?: Readonly<Record<string, string>>,
): Problem {
  const [status, detail] = answers[outcome];
  const code = codes[status] ?? 'ERR_SERVER_REFUSED';
  return new Problem(status, code, { detail, headers, members: { outcome, ...members } });
}
