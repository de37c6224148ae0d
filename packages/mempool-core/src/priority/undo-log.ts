import type { Limits } from '../contract/limits.ts';
import type { Before, PoolNode, UndoEntry } from './pool-node.ts';

/** The values of a pool, other than transactions, as they were before a call. */
export interface PoolScalars {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly floor: number;
  /** The tags that the call changed, with their ticks before it. */
  readonly tags: Map<string, number | undefined>;
}

let marks = 0;
/** A sort of fewer costs more than it saves. */
const manyChanges = 1_000;

/**
 * The changes of a large call by seq: so they lie in memory, and so their events are sorted. Each later walk over them costs a
 * fraction then. Plain numbers are sorted, because a sort with a comparison reads each transaction many times.
 */
function inOrderOfSeq(call: UndoEntry[]): UndoEntry[] {
  const bySeq = new Map<number, UndoEntry>();
  for (const change of call) bySeq.set(change.node.seq, change);
  // Those that a call made and took back have no seq any more.
  if (bySeq.size < call.length) return call;
  const seqs = Float64Array.from(call, ({ node }) => node.seq).sort();
  return Array.from(seqs, (seq) => bySeq.get(seq) as UndoEntry);
}

/** The transactions that a call, or an attempt within it, changed. Each is listed once, with its state before. */
export class UndoLog {
  #call: UndoEntry[] | null = null;
  #attempt: UndoEntry[] | null = null;
  /** How many changes of the call are known to be in the order of seq. */
  #ordered = 0;
  #callMark = 0;
  #attemptMark = 0;

  get isOpen(): boolean {
    return this.#call !== null;
  }

  begin(): void {
    marks += 1;
    if (this.#call === null) {
      this.#call = [];
      this.#ordered = 0;
      this.#callMark = marks;
    } else {
      this.#attempt = [];
      this.#attemptMark = marks;
    }
  }

  /** Returns true on the first change of the node in this attempt or call. Only then push its state before. */
  note(node: PoolNode): boolean {
    if (this.#attempt !== null) {
      if (node.attempt === this.#attemptMark) return false;
      node.attempt = this.#attemptMark;
      return true;
    }
    if (this.#call === null || node.call === this.#callMark) return false;
    node.call = this.#callMark;
    return true;
  }

  push(node: PoolNode, before: Before): void {
    (this.#attempt ?? this.#call)?.push({ node, before });
  }

  /** The transactions that the call changed. */
  touched(): readonly UndoEntry[] {
    const call = this.#call ?? [];
    if (call.length < manyChanges || call.length === this.#ordered) return call;
    this.#ordered = call.length;
    this.#call = inOrderOfSeq(call);
    return this.#call;
  }

  /** The transactions that the attempt changed. */
  attempted(): readonly UndoEntry[] {
    return this.#attempt ?? [];
  }

  /** Ends the attempt and adds its changes to the call. Without an attempt, ends the call. */
  keep(): void {
    const attempt = this.#attempt;
    this.#attempt = null;
    if (attempt === null) this.#call = null;
    else for (const trace of attempt) if (this.note(trace.node)) this.push(trace.node, trace.before);
  }

  /** Ends the attempt if one is open, else the call. Returns the changes to revert. */
  end(): readonly UndoEntry[] {
    const ended = this.#attempt ?? this.#call ?? [];
    if (this.#attempt === null) this.#call = null;
    this.#attempt = null;
    return ended;
  }
}
