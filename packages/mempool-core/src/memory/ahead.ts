import { isLive } from '../contract/transaction.ts';
import type { Step } from '../rules/step.ts';

/** The state that steps are planned ahead of. */
interface Written {
  readonly lastSeq: number;
  readonly firstLogSeq: number;
  readonly lastLogSeq: number;
  readonly retention: { readonly maxFinalized: number };
}

/**
 * What planned steps of `receive` will write, as far as a step that is planned on their result needs it: the numbers. The state of a
 * transaction that one of them changes is not known before its time is (E5), so a step that needs it waits until they are written.
 */
export class Ahead {
  /** The last seq that they assign. */
  lastSeq: number;
  /** How many events and log entries they write. */
  events = 0;
  logged = 0;
  /** Number of the oldest log entry that they keep. */
  firstLogSeq: number;
  /** The transactions that they change or forget. */
  readonly hashes: Set<string> = new Set();
  readonly #last: number;
  readonly #maxFinalized: number;

  constructor({ lastSeq, firstLogSeq, lastLogSeq, retention }: Written) {
    this.lastSeq = lastSeq;
    this.firstLogSeq = firstLogSeq;
    this.#last = lastLogSeq;
    this.#maxFinalized = retention.maxFinalized;
  }

  /** False if the step needs what the earlier steps have not written yet. */
  allows(step: Step<unknown>): boolean {
    return this.#firstAfter(step) <= this.#last + 1 && this.knowsAll(hashesOf(step));
  }

  /** False if the state of one of them is not known. */
  knowsAll(hashes: Iterable<string>): boolean {
    for (const hash of hashes) if (this.hashes.has(hash)) return false;
    return true;
  }

  /** Returns the transactions that the step forgets. `endedBefore`: those that leave the log with these entries. */
  add(step: Step<unknown>, endedBefore: (logSeq: number) => readonly string[]): readonly string[] {
    const first = this.#firstAfter(step);
    const forgotten = endedBefore(first);
    for (const hash of forgotten) this.hashes.add(hash);
    this.firstLogSeq = first;
    this.logged += endsIn(step);
    this.events += step.events.length;
    for (const { after, body } of step.writes) if (body !== null) this.lastSeq = Math.max(this.lastSeq, after.seq);
    for (const hash of hashesOf(step)) this.hashes.add(hash);
    return forgotten;
  }

  #firstAfter(step: Step<unknown>): number {
    return Math.max(this.firstLogSeq, this.#last + this.logged + endsIn(step) - this.#maxFinalized + 1);
  }
}

function endsIn({ writes }: Step<unknown>): number {
  return writes.filter(({ after }) => !isLive(after.stage)).length;
}

function* hashesOf({ writes, pool }: Step<unknown>): Generator<string, undefined> {
  for (const { after } of writes) yield after.hash;
  for (const { hash } of pool?.entries ?? []) yield hash;
}
