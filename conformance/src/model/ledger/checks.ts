import {
  type StoredTransfer,
  type TransferOutcome,
  type TransferRequest,
  transferOfRaw,
  type Wallet,
} from 'mempool-ledger/backend';

/** What a check may look at. */
interface Seen {
  readonly at: number;
  readonly wallets_: ReadonlyMap<string, Wallet>;
  readonly kept: ReadonlyMap<string, StoredTransfer>;
}

/** A reason to refuse. */
export interface Check {
  readonly outcome: TransferOutcome;
  fits(seen: Seen, request: TransferRequest): boolean;
}

type Move = Extract<TransferRequest, { kind: 'transfer' | 'reserve' }>;
type Resolve = Extract<TransferRequest, { kind: 'post' | 'void' }>;

/** These leave no record. */
export const unkept: ReadonlySet<TransferOutcome> = new Set<TransferOutcome>([
  ...(['invalid_id', 'invalid_amount', 'id_conflict', 'id_expired'] as const),
  ...(['signature_invalid', 'too_many_refusals'] as const),
]);

const most = 9_223_372_036_854_775_807n;

type MoveCheck = (request: Move, source: Wallet | undefined, destination: Wallet | undefined) => boolean;

function ofMove(outcome: TransferOutcome, fits: MoveCheck): Check {
  return {
    outcome,
    fits: ({ wallets_ }, request) =>
      !('pendingId' in request) && fits(request, wallets_.get(request.source), wallets_.get(request.destination)),
  };
}

/** In the order in which they are asked. */
export const moveChecks: readonly Check[] = [
  ofMove('signature_invalid', ({ signedBy }, from) => (from?.signer ?? null) !== null && from?.signer !== signedBy),
  ofMove('same_wallet', ({ source, destination }) => source === destination),
  ofMove('source_wallet_not_found', (_, from) => from === undefined),
  ofMove('destination_wallet_not_found', (_, __, to) => to === undefined),
  ofMove('wallet_closed', (_, from, to) => from?.closed === true || to?.closed === true),
  ofMove('currency_mismatch', ({ currency }, from, to) => from?.currency !== currency || to?.currency !== currency),
  ofMove('insufficient_funds', ({ amount }, from) => {
    if (from === undefined || from.overdraft) return false;
    return from.creditsPosted - from.debitsPosted - from.debitsPending < amount;
  }),
  ofMove('overflow', ({ amount }, from, to) => {
    const out = (from?.debitsPosted ?? 0n) + (from?.debitsPending ?? 0n);
    const into = (to?.creditsPosted ?? 0n) + (to?.creditsPending ?? 0n);
    return out + amount > most || into + amount > most;
  }),
];

type ResolveCheck = (stored: StoredTransfer | undefined, request: Resolve, at: number) => boolean;

function ofResolve(outcome: TransferOutcome, fits: ResolveCheck): Check {
  return {
    outcome,
    fits: ({ kept, at }, request) => 'pendingId' in request && fits(kept.get(request.pendingId), request, at),
  };
}

function isDue({ raw }: StoredTransfer, at: number): boolean {
  const { expiresAt } = transferOfRaw(raw);
  return expiresAt !== null && expiresAt <= at;
}

export const resolveChecks: readonly Check[] = [
  ofResolve('pending_not_found', (stored) => stored === undefined || stored.state === 'refused'),
  ofResolve('pending_mismatch', (stored) => stored !== undefined && transferOfRaw(stored.raw).kind !== 'reserve'),
  ofResolve('pending_already_posted', (stored) => stored?.state === 'posted'),
  ofResolve('pending_already_voided', (stored) => stored?.state === 'voided'),
  ofResolve(
    'pending_already_expired',
    (stored, _, at) => stored !== undefined && (stored.state === 'expired' || isDue(stored, at)),
  ),
  ofResolve('exceeds_pending_amount', (stored, { amount }) => {
    return stored !== undefined && amount !== null && amount > transferOfRaw(stored.raw).amount;
  }),
];
