import { MempoolError } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';

/** Under which id the outcome of a call is recorded: its operation id, or one that its process made for this call alone. */
export interface CallId {
  readonly id: string;
  readonly ids: 'ops' | 'calls';
}

/** A call that was left to another process, which may have carried it out. */
export interface LeftAt extends CallId {
  /** The intake where it was left. */
  readonly name: string;
  /** The last row of outcomes, or of operation ids, before it was left. */
  readonly place: number;
}

/** The outcome of a call under its id, as it is recorded. */
export type Served = readonly [id: string, record: Uint8Array];

const maxTurns = 32;
const maxServed = 1_000;
const maxServedBytes = 8 * 1024 * 1024;
const trimEvery = 32;

/**
 * Whose turn it is to carry out the calls of other processes, and what was carried out, in the file. A turn that was ended here is over:
 * its process looks in each transaction. All methods are called inside a transaction.
 */
export class TurnTable {
  readonly #file: PoolFile;
  readonly #scope: string;

  constructor(file: PoolFile, scope: string) {
    file.include('priority/turn-statements.sql');
    this.#file = file;
    this.#scope = scope;
  }

  /** The intake of the process whose turn it is; '' if there is none. */
  intake(): string {
    return String(this.#file.row('turn', this.#scope)?.name ?? '');
  }

  /** The last row of outcomes. */
  place(): number {
    return Number(this.#file.row('lastServed')?.n ?? 0);
  }

  /** The last row of operation ids. */
  operationPlace(): number {
    return Number(this.#file.row('operationRange')?.last ?? 0);
  }

  /** Takes the turn after the process of another intake. False if a third one was faster. */
  take(name: string, after: string): boolean {
    if (this.intake() !== after) return false;
    this.#file.run('takeTurn', this.#scope, name);
    this.#file.run('trimTurns', maxTurns);
    return true;
  }

  /** Keeps the outcomes of calls without an operation id. Returns their place. */
  keep(served: readonly Served[]): number {
    const { n, total } = this.#file.row('lastServed') ?? { n: 0, total: 0 };
    const record = core.encodeValue(served);
    const [place, bytes] = [Number(n) + 1, Number(total) + record.length];
    this.#file.run('putServed', place, bytes, record);
    if (place % trimEvery === 0) this.#file.run('trimServed', place - maxServed, bytes - maxServedBytes);
    return place;
  }

  /**
   * Returns the recorded outcome of a call that was left; `null` if it was not carried out. Then it will not be: the turn is ended.
   * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if its outcome may have been recorded, and deleted since
   */
  settle({ id, ids, name, place }: LeftAt): Uint8Array | null {
    const record = ids === 'ops' ? this.#recorded(id, place) : this.#served(id, place);
    if (record instanceof Uint8Array) return record;
    if (this.intake() === name) this.#file.run('endTurn', name);
    return null;
  }

  /** Many later ids may have pushed it out. */
  #recorded(id: string, place: number): unknown {
    const record = this.#file.row('operation', id)?.outcome;
    if (record === undefined && Number(this.#file.row('operationRange')?.first ?? 0) > place + 1) throw forgotten();
    return record;
  }

  #served(id: string, place: number): Uint8Array | null {
    let expected = place + 1;
    for (const { n, calls } of this.#file.rows('servedAfter', place)) {
      const served = n === expected ? servedCalls(calls) : null;
      if (served === null) throw forgotten();
      const found = served.find(([each]) => each === id);
      if (found !== undefined) return found[1];
      expected += 1;
    }
    return null;
  }
}

function forgotten(): MempoolError {
  return new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the outcome is not recorded any more');
}

/** `null` for a damaged row. */
function servedCalls(stored: unknown): Served[] | null {
  try {
    const calls = core.decodeValue('outcomes of calls', stored as Uint8Array);
    return Array.isArray(calls) && calls.every(isServed) ? calls : null;
  } catch {
    return null;
  }
}

function isServed(call: unknown): call is Served {
  return Array.isArray(call) && typeof call[0] === 'string' && call[1] instanceof Uint8Array;
}
