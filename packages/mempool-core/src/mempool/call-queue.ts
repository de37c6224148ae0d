import { MempoolError } from '../contract/errors.ts';
import { type Batch, CallList, type QueuedCall } from './call-list.ts';

/** The limits of the queue and of each store call. */
export interface QueueLimits {
  /** The most transactions in one store call. */
  readonly maxBatch: number;
  /** The most payload bytes in one store call. A single larger payload is sent alone. */
  readonly maxBatchBytes: number;
  /** The most calls that may wait. */
  readonly maxQueued: number;
}

/** A call for the whole pool, such as `confirm`. It begins when all earlier calls have ended, and later calls wait for it. */
export type WholeCall = () => Promise<void>;

/** The calls between two whole-pool calls. */
interface Segment {
  readonly lanes: Map<string, CallList>;
  whole: WholeCall | null;
}

/**
 * The waiting calls and their order (M2). Calls for different hashes may overtake each other, so that mixed verbs still
 * make large batches. Calls for one hash never do. A lane with `overlaps: false` keeps its order.
 */
export class CallQueue {
  readonly #limits: QueueLimits;
  readonly #segments: Segment[] = [{ lanes: new Map(), whole: null }];
  /** For each hash its last call that has neither ended nor been withdrawn. */
  readonly #tails = new Map<string, QueuedCall>();
  readonly #busyLanes = new Set<string>();
  #number = 0;
  #waiting = 0;
  #underWay = 0;
  #wholeUnderWay = false;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get underWay(): number {
    return this.#underWay;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#underWay === 0;
  }

  /** Adds a call for one transaction. @throws `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already (O6) */
  add(call: QueuedCall): void {
    this.#countIn();
    this.#number += 1;
    call.number = this.#number;
    call.before = this.#tails.get(call.hash) ?? null;
    this.#tails.set(call.hash, call);
    const { lanes } = this.#lastSegment();
    const list = lanes.get(call.verb.name) ?? new CallList();
    lanes.set(call.verb.name, list);
    list.push(call);
  }

  /** Adds a call for the whole pool. @throws `ERR_MEMPOOL_BUSY` if `maxQueued` calls wait already (O6) */
  addWhole(call: WholeCall): void {
    this.#countIn();
    this.#lastSegment().whole = call;
    this.#segments.push({ lanes: new Map(), whole: null });
  }

  /** Removes a waiting call. Returns false if the call was sent already. */
  withdraw(call: QueuedCall): boolean {
    if (call.state !== 'waiting') return false;
    call.state = 'withdrawn';
    call.list?.remove(call);
    this.#waiting -= 1;
    if (this.#tails.get(call.hash) !== call) return true;
    const before = standing(call.before);
    if (before === null) this.#tails.delete(call.hash);
    else this.#tails.set(call.hash, before);
    return true;
  }

  /** Returns the next store call that may start now; `null` if there is none. The lane with the oldest call goes first. */
  nextBatch(): Batch | null {
    if (this.#wholeUnderWay) return null;
    const lanes = this.#segments[0]?.lanes ?? new Map<string, CallList>();
    let oldest: QueuedCall | null = null;
    for (const [name, { first }] of lanes) {
      if (first === null) lanes.delete(name);
      else if (!this.#busyLanes.has(name) && isFree(first) && first.number < (oldest?.number ?? Infinity))
        oldest = first;
    }
    return oldest === null ? null : this.#take(oldest);
  }

  /** Returns the next whole-pool call if its turn has come, else `null`. */
  nextWhole(): WholeCall | null {
    const [segment] = this.#segments;
    if (segment === undefined || segment.whole === null) return null;
    if (this.#underWay > 0 || segment.lanes.size > 0) return null;
    this.#segments.shift();
    this.#waiting -= 1;
    this.#underWay += 1;
    this.#wholeUnderWay = true;
    return segment.whole;
  }

  endBatch(batch: Batch): void {
    this.#underWay -= 1;
    this.#busyLanes.delete(batch.verb.name);
    for (const call of batch.calls) {
      call.state = 'ended';
      call.before = null;
      if (this.#tails.get(call.hash) === call) this.#tails.delete(call.hash);
    }
  }

  endWhole(): void {
    this.#underWay -= 1;
    this.#wholeUnderWay = false;
  }

  #countIn(): void {
    const { maxQueued } = this.#limits;
    if (this.#waiting >= maxQueued)
      throw new MempoolError('ERR_MEMPOOL_BUSY', `${maxQueued} calls are waiting already (maxQueued)`);
    this.#waiting += 1;
  }

  #lastSegment(): Segment {
    return this.#segments[this.#segments.length - 1] as Segment;
  }

  /** Takes as many calls from the front of the lane as fit into one store call. */
  #take(first: QueuedCall): Batch {
    const { verb, list } = first;
    const calls: QueuedCall[] = [];
    const batch: Batch = { verb, calls };
    let bytes = 0;
    for (
      let call: QueuedCall | null = first;
      call !== null && this.#fits(call, batch, bytes);
      call = list?.first ?? null
    ) {
      list?.remove(call);
      call.state = 'sent';
      call.batch = batch;
      calls.push(call);
      bytes += call.bytes;
    }
    this.#waiting -= calls.length;
    this.#underWay += 1;
    if (!verb.overlaps) this.#busyLanes.add(verb.name);
    return batch;
  }

  #fits(call: QueuedCall, batch: Batch, bytes: number): boolean {
    const [first] = batch.calls;
    if (first === undefined) return true;
    if (first.isAlone || call.isAlone || batch.calls.length >= this.#limits.maxBatch) return false;
    if (bytes + call.bytes > this.#limits.maxBatchBytes) return false;
    if (batch.verb.mayShare?.(first.item, call.item) === false) return false;
    const before = standing(call.before);
    return before === null || before.batch === batch;
  }
}

/** The nearest earlier call for the hash that was not withdrawn and has not ended. */
function standing(call: QueuedCall | null): QueuedCall | null {
  let earlier = call;
  while (earlier?.state === 'withdrawn') earlier = earlier.before;
  return earlier?.state === 'ended' ? null : earlier;
}

function isFree(call: QueuedCall): boolean {
  return standing(call.before) === null;
}
