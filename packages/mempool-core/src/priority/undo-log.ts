import type { Limits } from '../contract/limits.ts';
import type { Before, PoolNode, UndoEntry } from './pool-node.ts';

/** What a call may change beside transactions, as it was. */
export interface PoolScalars {
  readonly limits: Limits;
  readonly lastGossipSeq: number;
  readonly floor: number;
  /** Tags that the call touched. */
  readonly tags: Map<string, number | undefined>;
}

let marks = 0;

/**
 * What a call has touched, and within it an attempt that may end in a refusal: each transaction once, as it was before.
 */
export class UndoLog {
  #call: UndoEntry[] | null = null;
  #attempt: UndoEntry[] | null = null;
  #callMark = 0;
  #attemptMark = 0;

  get isOpen(): boolean {
    return this.#call !== null;
  }

  begin(): void {
    marks += 1;
    if (this.#call === null) {
      this.#call = [];
      this.#callMark = marks;
    } else {
      this.#attempt = [];
      this.#attemptMark = marks;
    }
  }

  /** Whether it is the first time: only then what was before has to be known. */
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

  /** Of the call. */
  touched(): readonly UndoEntry[] {
    return this.#call ?? [];
  }

  /** Of the attempt. */
  attempted(): readonly UndoEntry[] {
    return this.#attempt ?? [];
  }

  /** What the attempt has touched is the call's from here on; without an attempt the call ends. */
  keep(): void {
    const attempt = this.#attempt;
    this.#attempt = null;
    if (attempt === null) this.#call = null;
    else for (const trace of attempt) if (this.note(trace.node)) this.push(trace.node, trace.before);
  }

  /** Ends the attempt, else the call: what is to be put back. */
  end(): readonly UndoEntry[] {
    const ended = this.#attempt ?? this.#call ?? [];
    if (this.#attempt === null) this.#call = null;
    this.#attempt = null;
    return ended;
  }
}
