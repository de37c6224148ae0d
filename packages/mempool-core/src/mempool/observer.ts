import { isMempoolError } from '../contract/errors.ts';
import type { QueuedCall } from './call-list.ts';

/** A call of a `Mempool` that has ended. */
export interface ObservedCall {
  /** The method, such as `submit`. */
  readonly verb: string;
  /**
   * After an answer, its `kind`, or `ok` if it has none. After an error, its code, or `aborted` for an abort, or `error` if
   * it has no code.
   */
  readonly outcome: string;
  /** Milliseconds from the call to its answer. This includes validation, the queue and the store. */
  readonly durationMs: number;
  /** How many transactions the store call had, including those of other callers; 0 if the store was not called. */
  readonly batch: number;
  /** How many calls wait in the queue now. */
  readonly waiting: number;
  /** How many store calls of the queue are under way now: at most 2. */
  readonly underWay: number;
}

/** Called after each call has ended. It must be fast. An error that it throws is logged. */
export type Observer = (call: ObservedCall) => void;

/** Data about an observed call, recorded while it runs. */
export interface CallTrace {
  /** How many transactions the call has. */
  size: number;
  /** The queued call, if it is a call for one transaction. */
  queued: QueuedCall | null;
}

/** Returns the outcome of an answer, for the observer. */
export function outcomeOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('kind' in answer)) return 'ok';
  return String(answer.kind);
}

/** Returns the outcome of an error, for the observer. */
export function faultOf(error: unknown): string {
  if (isMempoolError(error)) return error.code;
  const name = error instanceof Error ? error.name : '';
  return name === 'AbortError' || name === 'TimeoutError' ? 'aborted' : 'error';
}
