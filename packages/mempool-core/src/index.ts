export { type Backend, type BackendDefinition, defineBackend } from './backend.ts';
export type { Capabilities } from './capabilities.ts';
export * from './change.ts';
export * from './codec.ts';
export type * from './driver.ts';
export {
  invalid,
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type MempoolErrorDetails,
  mempoolErrorCodes,
} from './errors.ts';
export type * from './events.ts';
export * from './lifecycle.ts';
export {
  defaultRetention,
  type Logger,
  type LogLevel,
  maxOperations,
  type OpenOptions,
  type Retention,
} from './options.ts';
export * from './ordering.ts';
export { type RetryOptions, retryUntil } from './retry.ts';
export type * from './store.ts';
export * from './transaction.ts';
