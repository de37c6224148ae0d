/** A call of a pool that has ended. */
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
  /** How many store calls of the queue are under way now. */
  readonly underWay: number;
}

/** Called after each call has ended. It must be fast. An error that it throws is logged. */
export type Observer = (call: ObservedCall) => void;
