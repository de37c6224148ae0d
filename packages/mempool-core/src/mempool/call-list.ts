import type { WriteOptions } from '../contract/call-options.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { CheckedCallTime } from '../contract/pool-driver.ts';
import type { Submission } from '../contract/pool-verbs.ts';
import type { MempoolStore, ReceiveOutcome } from '../contract/store.ts';
import type { TransactionStatus } from '../contract/transaction.ts';

/** A verb of the store that takes many transactions, for which calls of one transaction are gathered. */
export interface BatchedVerb<Item, Answer> {
  /** Calls of lanes with the same name may share a store call. */
  readonly name: string;
  /** Whether two store calls of this lane may be under way at once: not where the order among them shows (L1). */
  readonly overlaps: boolean;
  /** What reads may be left at any time; what writes only before it was sent (R3). */
  readonly kind: 'read' | 'write';
  /** Whether two may share a store call; default: any two. */
  mayShare?(first: Item, next: Item): boolean;
  /** One answer for each item, in the order given. */
  send(items: readonly Item[], options: WriteOptions): Promise<readonly Answer[]>;
}

/** What is sent as one store call. */
export interface Batch {
  readonly verb: BatchedVerb<unknown, unknown>;
  readonly calls: readonly QueuedCall[];
}

/** A call of one transaction, from the moment it is made until it is answered. */
export class QueuedCall {
  readonly verb: BatchedVerb<unknown, unknown>;
  readonly item: unknown;
  readonly hash: string;
  readonly bytes: number;
  readonly options: WriteOptions;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: unknown) => void;
  state: 'waiting' | 'sent' | 'withdrawn' | 'ended' = 'waiting';
  /** Place in the order in which calls were made. */
  number = 0;
  /** The earlier call of the same hash that this one must not overtake. */
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

  /** A caller's operation id belongs to this call alone, so it shares its store call with nobody (X2). */
  get isAlone(): boolean {
    return this.options.operationId !== undefined;
  }
}

/** Calls in the order made, linked so that one in the middle is taken out at no cost. */
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

/** What is submitted, and when. */
export interface QueuedSubmission extends Submission, CheckedCallTime {}

/**
 * Two receives under way at once could swap, and arrival order shows (L1): so those of other moments wait in the same lane,
 * though they cannot share a store call.
 */
export function batchedReceive(store: MempoolStore): BatchedVerb<QueuedSubmission, ReceiveOutcome> {
  return {
    name: 'receive',
    kind: 'write',
    overlaps: false,
    mayShare: (first, next) => first.now === next.now && first.height === next.height,
    send: (fifo, options) => {
      const { now = null, height = null } = fifo[0] ?? {};
      return store.receive(fifo, { ...options, now: now ?? undefined, height: height ?? undefined });
    },
  };
}

export function batchedMove(store: MempoolStore, verb: MoveVerb): BatchedVerb<string, boolean> {
  return {
    name: verb,
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) => moved(hashes, await store[verb](hashes, options)),
  };
}

/** Drops with the same reason go together. Where two lanes of other reasons swap, only their log numbers tell. */
export function batchedDrop(store: MempoolStore, reason: string): BatchedVerb<string, boolean> {
  return {
    name: `drop ${reason}`,
    kind: 'write',
    overlaps: true,
    send: async (hashes, options) => moved(hashes, await store.drop(hashes, reason, options)),
  };
}

export function batchedStatus(store: MempoolStore): BatchedVerb<string, TransactionStatus> {
  return {
    name: 'status',
    kind: 'read',
    overlaps: true,
    send: (hashes, { signal }: WriteOptions) => store.checkStatus(hashes, { signal }),
  };
}

/** Of several callers who named one hash, the first has moved it. */
function moved(hashes: readonly string[], answer: readonly string[]): boolean[] {
  const left = new Set(answer);
  return hashes.map((hash) => left.delete(hash));
}
