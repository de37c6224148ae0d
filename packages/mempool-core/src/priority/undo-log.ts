import type { PoolNode, Standing } from './pool-node.ts';

/** A transaction that a call changed, with its state before; `null` if the pool did not have it. */
export interface UndoEntry {
  readonly node: PoolNode;
  readonly before: Standing | null;
}

type Changes = Map<PoolNode, UndoEntry>;

/** The transactions that a call, or an attempt within it, changed. */
export class UndoLog {
  /** The changes of the call, and those of the attempt if there is one. */
  readonly #open: Changes[] = [];

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  begin(): void {
    this.#open.push(new Map());
  }

  /** Notes a change of a transaction. The first one counts. */
  note(node: PoolNode, before: Standing | null): void {
    const changes = this.#open.at(-1);
    if (changes !== undefined && !changes.has(node)) changes.set(node, { node, before });
  }

  /** The transactions that the call changed. */
  touched(): UndoEntry[] {
    return [...(this.#open[0]?.values() ?? [])];
  }

  /** The transactions that the attempt changed. */
  attempted(): UndoEntry[] {
    return [...(this.#open[1]?.values() ?? [])];
  }

  /** Ends the attempt and adds its changes to the call. Without an attempt, ends the call. */
  keep(): void {
    for (const { node, before } of this.end()) this.note(node, before);
  }

  /** Ends the attempt if one is open, else the call. Returns its changes. */
  end(): Iterable<UndoEntry> {
    return this.#open.pop()?.values() ?? [];
  }
}
