export { newTransferId } from './codec/new-id.ts';
export { badArgument, isLedgerError, LedgerError, type LedgerErrorCode } from './contract/errors.ts';
export { ledgerLimits } from './contract/limits.ts';
export * from './contract/outcome.ts';
export type { LedgerRecord, WalletSpec } from './contract/record.ts';
export type {
  CloseWalletAnswer,
  CreateWalletAnswer,
  MarkChange,
  MarkPage,
  SetTagsAnswer,
  SettleOutcome,
  SweepAnswer,
} from './contract/store.ts';
export type * from './contract/transfer.ts';
export { availableOf, balanceOf, type Wallet, type WalletCounters } from './contract/wallet.ts';
export type { AuditFault, AuditReport } from './ledger/audit.ts';
export { isSystemId } from './ledger/check.ts';
export { Ledger, type TransferAnswer } from './ledger/ledger.ts';
export { type SignedFields, signedText } from './ledger/signature.ts';
export type { Lagged, LedgerEvent } from './ledger/subscription.ts';
export type * from './ledger/verbs.ts';
export { memoryLedger } from './memory-ledger.ts';
export { type LedgerBackend, type LedgerOptions, openLedger } from './open-ledger.ts';
export type { FundedOptions } from './pool/admission.ts';
export { LedgerPool, ledgerPool } from './pool/ledger-pool.ts';
export { paymentId } from './pool/marks.ts';
export {
  type CoupledPool,
  type FundedOutcome,
  type LedgerPoolOptions,
  type PoolReport,
  type PoolTransfer,
  type StuckOutcome,
  type Unfunded,
  unfundedCode,
} from './pool/pool-options.ts';
