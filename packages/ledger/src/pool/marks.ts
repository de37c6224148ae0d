import { createHash, randomBytes } from 'node:crypto';
import { LedgerError } from '../contract/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Settled, TransferCall } from '../ledger/verbs.ts';
import type { PoolTransfer } from './pool-options.ts';

/**
 * An event of a pool. Numbers of events can be compared only within one generation: another one begins when events were lost, and when
 * the pool was made again or fell back to an earlier state.
 */
export interface Position {
  readonly generation: number;
  readonly event: number;
}

/** A reservation or a payment of a transaction. */
export interface Held {
  /** The id of the reservation. */
  readonly id: string;
  /** True if the debt wallet pays in place of the payer. */
  readonly byDebt: boolean;
}

/** The money of one hash, as the ledger has it, and the last event that is settled. */
export interface Row extends Position {
  /** The time of that event, in milliseconds since 1970 by the pool's clock. */
  readonly at: number;
  /** The slot of the block of that event, if it has one. */
  readonly slot: number | null;
  readonly terms: PoolTransfer | null;
  /** The reservation that is open; `unseen` if a submission made it and no event was settled since. */
  readonly open: (Held & { readonly unseen?: true }) | null;
  /** The payment that was made and not given back. */
  readonly paid: Held | null;
}

/** No row that was removed is later than this. */
type Floor = Position & Pick<Row, 'at'>;

/** A row as it was read, with the texts to compare. Without a text there is no row. */
export interface Known {
  readonly hash: string;
  readonly row: Row;
  readonly text: string | null;
  readonly floor: Floor;
  readonly floorText: string | null;
}

const noFloor: Floor = { generation: 0, event: 0, at: 0 };
const floorName = 'floor';
const positionName = 'position';

/** True if `a` is `b` or later. */
export function isAtLeast(a: Position, b: Position): boolean {
  return a.generation > b.generation || (a.generation === b.generation && a.event >= b.event);
}

/** Returns the id that a payer with a `signer` signs for a transaction. It has the hash, or its SHA-256 if that has more than 64 digits. */
export function paymentId(name: string, hash: string): string {
  const short = hash.length <= 64 ? hash : `sha256-${createHash('sha256').update(hash).digest('hex')}`;
  return `${name}.${short}`;
}

/** The coupling's marks in the ledger: a row for each hash, the floor, and the position of the followers. */
export class Marks {
  readonly #ledger: Ledger;
  readonly #name: string;

  constructor(ledger: Ledger, name: string) {
    this.#ledger = ledger;
    this.#name = name;
  }

  async read(hash: string): Promise<Known> {
    const [text = null, floorText = null] = await this.#ledger.marks(this.#name, [hash, floorName]);
    return knownOf(hash, text, floorText);
  }

  /** Returns a new id for a call about a hash. */
  newId(hash: string): string {
    return `~${paymentId(this.#name, hash)}:${randomBytes(9).toString('base64url')}`;
  }

  /**
   * Makes the calls and writes the row, in one step, if the row is still the known one. `changed` means that another process was faster:
   * read again.
   */
  async step({ hash, text, floorText }: Known, calls: readonly TransferCall[], row: Row): Promise<Settled> {
    const after = encoded(row);
    // A row that was removed looks like one that never was: but then the floor has changed.
    const floor = text === null ? [{ hash: floorName, before: floorText, after: floorText }] : [];
    const changes = [{ hash, before: text, after }, ...floor];
    const answer = await this.#ledger.settle(this.#name, calls, changes);
    if (answer.outcome !== 'changed' || (await this.read(hash)).text !== after) return answer;
    // The step was sent twice, because its answer was lost.
    const transfers = await Promise.all(calls.map(({ id = '' }) => this.#ledger.findTransfer(id)));
    return { outcome: 'settled', transfers: transfers.filter((each) => each !== null) };
  }

  /** Removes a row and lifts the floor to it, if both are as known. */
  async remove({ hash, text, row, floor, floorText }: Known): Promise<void> {
    const { generation, event } = isAtLeast(floor, row) ? floor : row;
    const lifted: Floor = { generation, event, at: Math.max(floor.at, row.at) };
    const changes = [
      { hash, before: text, after: null },
      { hash: floorName, before: floorText, after: encoded(lifted) },
    ];
    await this.#ledger.settle(this.#name, [], changes);
  }

  /** Returns all rows, some at a time. */
  async *rows(): AsyncGenerator<readonly Known[], void> {
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { marks, next } = await this.#ledger.markPage(this.#name, cursor);
      const own = marks.filter(({ hash }) => hash !== floorName && hash !== positionName);
      yield own.map(({ hash, text }) => knownOf(hash, text, null));
      cursor = next;
    }
  }

  async position<Kept>(): Promise<{ readonly text: string | null; readonly kept: Kept | null }> {
    const [text = null] = await this.#ledger.marks(this.#name, [positionName]);
    return { text, kept: decoded<Kept>(text) };
  }

  /** True if the followers have come to this position. */
  async isPassed(position: Position): Promise<boolean> {
    const { kept } = await this.position<Position>();
    return kept !== null && isAtLeast(kept, position);
  }

  /** Writes the position if it is still as it was read. Returns false if it is not. */
  async putPosition(before: string | null, kept: object): Promise<boolean> {
    const change = { hash: positionName, before, after: encoded(kept) };
    return (await this.#ledger.settle(this.#name, [], [change])).outcome === 'settled';
  }
}

function knownOf(hash: string, text: string | null, floorText: string | null): Known {
  const floor = decoded<Floor>(floorText) ?? noFloor;
  const row = decoded<Row>(text) ?? { ...floor, slot: null, terms: null, open: null, paid: null };
  return { hash, text, row, floor, floorText };
}

function encoded(value: object): string {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? field.toString() : field));
}

function decoded<Value>(text: string | null): Value | null {
  if (text === null) return null;
  try {
    return JSON.parse(text, (key, field) => (key === 'amount' ? BigInt(field) : field));
  } catch (cause) {
    throw new LedgerError('ERR_LEDGER_CORRUPT', `a mark of a coupling is damaged: ${text.slice(0, 100)}`, { cause });
  }
}
