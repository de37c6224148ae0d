import { createdText } from '../codec/record-text.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { StoredTransfer } from '../contract/record.ts';
import type { MoveRequest } from '../contract/request.ts';
import { availableOf, type Wallet, type WalletCounters } from '../contract/wallet.ts';
import type { StepBuilder } from './step-builder.ts';

/** Returns the refusal of a transfer or a reservation, or `created`. */
export function moveOutcome(step: StepBuilder, request: MoveRequest): TransferOutcome {
  const { amount, currency } = request;
  const source = step.wallet(request.source);
  const destination = step.wallet(request.destination);
  if (source !== null && source.signer !== null && source.signer !== request.signedBy) return 'signature_invalid';
  if (request.source === request.destination) return 'same_wallet';
  if (source === null) return 'source_wallet_not_found';
  if (destination === null) return 'destination_wallet_not_found';
  if (source.closed || destination.closed) return 'wallet_closed';
  if (source.currency !== currency || destination.currency !== currency) return 'currency_mismatch';
  if (!source.overdraft && availableOf(source) < amount) return 'insufficient_funds';
  if (exceeds(source.debitsPosted + source.debitsPending, amount)) return 'overflow';
  if (exceeds(destination.creditsPosted + destination.creditsPending, amount)) return 'overflow';
  return 'created';
}

function exceeds(total: bigint, amount: bigint): boolean {
  return amount > ledgerLimits.maxAmount - total;
}

/** Records a transfer or reservation that no rule refuses. */
export function carryOutMove(step: StepBuilder, request: MoveRequest): StoredTransfer {
  const { kind, id, content, amount, source, destination } = request;
  const raw = step.append({ type: 'transfer', id, content, result: createdText(null) });
  const isReserve = kind === 'reserve';
  changeWallet(step, source, isReserve ? { debitsPending: amount } : { debitsPosted: amount });
  changeWallet(step, destination, isReserve ? { creditsPending: amount } : { creditsPosted: amount });
  return step.keepTransfer(raw, isReserve ? 'pending' : 'posted');
}

/** Adds to the counters of a wallet. */
export function changeWallet(step: StepBuilder, id: string, change: Partial<WalletCounters>): void {
  const wallet = step.wallet(id);
  if (wallet !== null) step.putWallet(changed(wallet, change));
}

function changed(wallet: Wallet, change: Partial<WalletCounters>): Wallet {
  return {
    ...wallet,
    debitsPosted: wallet.debitsPosted + (change.debitsPosted ?? 0n),
    creditsPosted: wallet.creditsPosted + (change.creditsPosted ?? 0n),
    debitsPending: wallet.debitsPending + (change.debitsPending ?? 0n),
    creditsPending: wallet.creditsPending + (change.creditsPending ?? 0n),
  };
}
