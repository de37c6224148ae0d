import { isMempoolError } from '../contract/errors.ts';
import type { QueuedCall } from './call-list.ts';

/** A call of a `Mempool` that has ended. */
export interface ObservedCall {
  /** The method, such as `submit`. */
  readonly verb: string;
  /** The `kind` of the answer, else `ok`; or the code of the error, `aborted` for an abort, else `error`. */
  readonly outcome: string;
  /** From the call to its answer: validation, the queue and the store. */
  readonly durationMs: number;
  /** How many transactions the store call carried, those of other callers included; 0: the store was not called for it. */
  readonly batch: number;
  /** How many calls wait in the queue now. */
  readonly waiting: number;
  /** How many store calls of the queue are under way now: at most 2. */
  readonly underWay: number;
}

/** Is told each call when it has ended. It must be quick. What it throws goes to the log. */
export type Observer = (call: ObservedCall) => void;

/** What becomes known of an observed call while it runs. */
export interface CallTrace {
  /** How many transactions it carries itself. */
  size: number;
  /** Its place in the queue, if it is a call for one transaction. */
  queued: QueuedCall | null;
}

/** The outcome of an answer, for the observer. */
export function outcomeOf(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null || !('kind' in answer)) return 'ok';
  return String(answer.kind);
}

/** The outcome of an error, for the observer. */
export function faultOf(error: unknown): string {
  if (isMempoolError(error)) return error.code;
  const name = error instanceof Error ? error.name : '';
  return name === 'AbortError' || name === 'TimeoutError' ? 'aborted' : 'error';
}
