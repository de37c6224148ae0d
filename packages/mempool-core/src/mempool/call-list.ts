import { asChecked } from '../boundary/checked-once.ts';
import type { DropOptions, ReleaseOptions, WriteOptions } from '../contract/call-options.ts';
import { type DropReason, reasonText } from '../contract/drop-reason.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { CheckedCallTime } from '../contract/pool-driver.ts';
import type { MempoolStore, ReceiveOutcome } from '../contract/store.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import type { OwnSubmission } from './own-submission.ts';

/** A store verb that accepts many transactions. Calls for single transactions are joined into one call of it. */
export interface BatchedVerb<Item, Answer> {
  /** The name of the lane, which is the queue of the calls of this verb. Calls in one lane may share a store call. */
  readonly name: string;
  /** True if two store calls of this lane may run at once. False if their order is visible to users (L1). */
  readonly overlaps: boolean;
  /** A read can be aborted at any time, a write only before it was sent (R3). */
  readonly kind: 'read' | 'write';
  /** True if two items may share a store call. Default: any two may. */
  mayShare?(first: Item, next: Item): boolean;
  /** Returns one answer for each item, in the order given. */
  send(items: readonly Item[], options: WriteOptions): Promise<readonly Answer[]>;
}

/** The calls that are sent as one store call. */
export interface Batch {
  readonly verb: BatchedVerb<unknown, unknown>;
  readonly calls: readonly QueuedCall[];
}

/** A call for one transaction that is not answered yet. */
export class QueuedCall {
  readonly verb: BatchedVerb<unknown, unknown>;
  readonly item: unknown;
  readonly hash: string;
  readonly bytes: number;
  readonly options: WriteOptions;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  state: 'waiting' | 'sent' | 'withdrawn' | 'ended' = 'waiting';
  /** The position in the order in which calls were made. */
  number = 0;
  /** The previous call for the same hash. This call must not overtake it. */
  before: QueuedCall | null = null;
  batch: Batch | null = null;
  list: CallList | null = null;
  previous: QueuedCall | null = null;
  next: QueuedCall | null = null;

  constructor(
    verb: BatchedVerb<unknown, unknown>,
    { item, hash, bytes }: { item: unknown; hash: string; bytes: number },
    options: WriteOptions,
    { resolve, reject }: { resolve: (answer: unknown) => void; reject: (reason: unknown) => void },
  ) {
    this.verb = verb;
    this.item = item;
    this.hash = hash;
    this.bytes = bytes;
    this.options = options;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** True if the call has an operation id. The id belongs to this call alone, so its store call is not shared (X2). */
  get isAlone(): boolean {
    return this.options.operationId !== undefined;
  }
}

/** A doubly linked list of calls in the order made. Removing a call takes constant time, also in the middle. */
export class CallList {
  first: QueuedCall | null = null;
  #last: QueuedCall | null = null;

  push(call: QueuedCall): void {
    call.list = this;
    call.previous = this.#last;
    if (this.#last === null) this.first = call;
    else this.#last.next = call;
    this.#last = call;
  }

  remove(call: QueuedCall): void {
    const { previous, next } = call;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    call.previous = call.next = call.list = null;
  }
}

/** A submission and the time of its call. */
export interface QueuedSubmission {
  readonly own: OwnSubmission;
  readonly moment: CheckedCallTime;
}

/**
 * Returns the lane of `receive`. Two concurrent store calls could take effect in reverse, and the order of arrival is
 * visible (L1). So submissions with different call times wait in the same lane, although they cannot share a store call.
 */
export function batchedReceive(store: MempoolStore): BatchedVerb<QueuedSubmission, ReceiveOutcome> {
  return {
    name: 'receive',
    kind: 'write',
    overlaps: false,
    mayShare: ({ moment: first }, { moment: next }) => first.now === next.now && first.height === next.height,
    send: (fifo, options) => {
      const { now = null, height = null } = fifo[0]?.moment ?? {};
      const submissions = fifo.map(({ own }) => own);
      return store.receive(asChecked(submissions), { ...options, now: now ?? undefined, height: height ?? undefined });
    },
  };
}

/** The options of a move or a drop that all calls in one lane share (P19, P20, P23). */
export type Guard = Pick<ReleaseOptions & DropOptions, 'claim' | 'notBeforeMs' | 'descendants'>;

/** Returns the lane of one move verb with one guard. The answer to a call is true if its transaction moved. */
export function batchedMove(store: MempoolStore, verb: MoveVerb, guard: Guard = {}): BatchedVerb<string, boolean> {
  return {
    name: laneOf(verb, guard),
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) => moved(hashes, await store[verb](asChecked(hashes), { ...options, ...guard })),
  };
}

/**
 * Returns the lane of drops with one reason and one guard. Drops with different reasons may take effect in reverse order,
 * which shows only in their log numbers.
 */
export function batchedDrop(store: MempoolStore, reason: DropReason, guard: Guard = {}): BatchedVerb<string, boolean> {
  return {
    name: laneOf(`drop ${reasonText(reason)}`, guard),
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) =>
      moved(hashes, await store.drop(asChecked(hashes), reason, { ...options, ...guard })),
  };
}

function laneOf(name: string, guard: Guard): string {
  const { claim, notBeforeMs, descendants } = guard;
  return Object.keys(guard).length === 0 ? name : JSON.stringify([name, claim, notBeforeMs, descendants]);
}

/** Returns the lane of `checkStatus`. */
export function batchedStatus(store: MempoolStore): BatchedVerb<string, TransactionStatus> {
  return {
    name: 'status',
    kind: 'read',
    overlaps: true,
    send: (hashes, { signal }: WriteOptions) => store.checkStatus(asChecked(hashes), { signal }),
  };
}

/** True for each hash that the store moved. If several calls name one hash, only the first of them gets true. */
function moved(hashes: readonly string[], answer: readonly string[]): boolean[] {
  const left = new Set(answer);
  return hashes.map((hash) => left.delete(hash));
}
