// For authors of backends.
export * from './codec/content.ts';
export * from './codec/record-text.ts';
export { badArgument, LedgerError, type LedgerErrorCode, ledgerCodeOf } from './contract/errors.ts';
export { ledgerLimits } from './contract/limits.ts';
export * from './contract/outcome.ts';
export type * from './contract/record.ts';
export type * from './contract/request.ts';
export type * from './contract/store.ts';
export type * from './contract/transfer.ts';
export { noCounters, type Wallet, type WalletCounters } from './contract/wallet.ts';
export { defineLedger, type LedgerBackend, type LedgerOptions } from './open-ledger.ts';
export * from './rules/execute.ts';
export * from './rules/fold.ts';
export { expireDue } from './rules/resolve.ts';
export { StepBuilder } from './rules/step-builder.ts';
export * from './rules/trim.ts';
export * from './rules/view.ts';
export * from './rules/wallets.ts';
