import { createHash } from 'node:crypto';
import { seriesId } from '../codec/content.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Ledger, TransferAnswer } from '../ledger/ledger.ts';
import type { SeriesEnd } from '../ledger/verbs.ts';
import type { PoolTransfer } from './pool-options.ts';
import { noteMetadata, noteOf, type Position, positionMetadata, positionOf, type ReservationNote } from './position.ts';

/** Returns the name of the series of a transaction's reservations. It has the hash, or its SHA-256 if the hash has more than 64 digits. */
export function seriesOfHash(name: string, hash: string): string {
  const short = hash.length <= 64 ? hash : `sha256-${createHash('sha256').update(hash).digest('hex')}`;
  return `${name}.${short}`;
}

/** The latest event of a hash that the ledger has settled, and its result. */
export interface Statement {
  readonly position: Position;
  /** True if the follower tried to reserve from the payer for this event and was refused, and nothing happened since. */
  readonly isRefusal: boolean;
}

/** The reservations of a pool's transactions. Every call may be repeated, by any process, and has its effect once. */
export class Reservations {
  readonly #ledger: Ledger;
  readonly #name: string;

  constructor(ledger: Ledger, name: string) {
    this.#ledger = ledger;
    this.#name = name;
  }

  end(hash: string): Promise<SeriesEnd> {
    return this.#ledger.seriesEnd(seriesOfHash(this.#name, hash));
  }

  /** Returns true unless reservations of the series were trimmed: the first would be the first to go. */
  async isWhole(hash: string, { number, last }: SeriesEnd): Promise<boolean> {
    return number === 0 || (number === 1 ? last : await this.#at(hash, 1)) !== null;
  }

  /** Returns the time of the oldest record that the ledger has kept; `null` if it has none. */
  async oldestRecordAt(): Promise<number | null> {
    const [oldest] = await this.#ledger.records(0);
    return oldest?.at ?? null;
  }

  /** Makes the reservation after number `after`, or returns the existing one. */
  reserve(terms: PoolTransfer, after: number, note: ReservationNote): Promise<TransferAnswer> {
    const series = seriesOfHash(this.#name, note.hash);
    return this.#ledger.reserve({ ...terms, series, after, metadata: noteMetadata(note) });
  }

  post({ id }: Transfer, position: Position): Promise<TransferAnswer> {
    return this.#ledger.post({ id: `post.${id}`, pendingId: id, metadata: positionMetadata(position) });
  }

  void({ id }: Transfer, position: Position): Promise<TransferAnswer> {
    return this.#ledger.void({ id: `void.${id}`, pendingId: id, metadata: positionMetadata(position) });
  }

  /** Voids the reservation of a failed submission. This void names no event. */
  withdraw({ id }: Transfer): Promise<TransferAnswer> {
    return this.#ledger.void({ id: `withdraw.${id}`, pendingId: id });
  }

  /** Returns the event that a reservation was posted for. If the coupling did not post it, returns the event before its reservation. */
  async postedAt(posted: Transfer): Promise<Position> {
    const own = positionOf(await this.#ledger.findTransfer(`post.${posted.id}`));
    return own ?? noteOf(posted) ?? { era: '', event: 0 };
  }

  /** Returns the newest reservation that was posted. */
  async lastPosted(hash: string, { number, last }: SeriesEnd): Promise<Transfer | null> {
    for (let n = number; n > 0; n--) {
      const one = n === number ? last : await this.#at(hash, n);
      if (one?.state === 'posted') return one;
    }
    return null;
  }

  /** Returns the latest event that the reservations of a hash name. It skips those of submissions, which name none. */
  async statement(hash: string, { number, last }: SeriesEnd): Promise<Statement | null> {
    for (let n = number; n > 0; n--) {
      const one = n === number ? last : await this.#at(hash, n);
      const found = one === null ? null : await this.#statementOf(one);
      if (found !== null) return found;
    }
    return null;
  }

  async #statementOf(one: Transfer): Promise<Statement | null> {
    const resolved = one.state === 'posted' ? `post.${one.id}` : `void.${one.id}`;
    const isResolved = one.state === 'posted' || one.state === 'voided';
    const position = isResolved ? positionOf(await this.#ledger.findTransfer(resolved)) : null;
    if (position !== null) return { position, isRefusal: false };
    const note = noteOf(one);
    if (note?.by !== 'event') return null;
    return { position: { era: note.era, event: note.event + 1 }, isRefusal: one.state === 'refused' };
  }

  /** Returns true if a payment was given back. */
  async isReverted(posted: Transfer): Promise<boolean> {
    return (await this.#ledger.seriesEnd(backSeries(posted))).last?.state === 'posted';
  }

  /** Returns the end of the series of reservations that give a payment back. */
  backEnd(posted: Transfer): Promise<SeriesEnd> {
    return this.#ledger.seriesEnd(backSeries(posted));
  }

  /** Reserves the amount of a payment in a wallet, to give it back. */
  reserveBack(posted: Transfer, source: string, after: number): Promise<TransferAnswer> {
    const { source: destination, amount, currency, id } = posted;
    const description = `given back: ${id}`;
    return this.#ledger.reserve({
      ...{ series: backSeries(posted), after },
      ...{ source, destination, amount, currency, description },
    });
  }

  postBack({ id }: Transfer): Promise<TransferAnswer> {
    return this.#ledger.post({ id: `post.${id}`, pendingId: id });
  }

  /** Returns the debt wallet of a currency, which pays if no other wallet can, and creates it at its first use. */
  async debtWallet(currency: string): Promise<string> {
    const vault = await this.#ledger.wallet('vault');
    const id = currency === vault?.currency ? 'debt' : `debt.${currency}`;
    await this.#ledger.createWallet({ id, owner: 'system', currency, overdraft: true });
    return id;
  }

  #at(hash: string, n: number): Promise<Transfer | null> {
    return this.#ledger.findTransfer(seriesId(seriesOfHash(this.#name, hash), n));
  }
}

/** `posted.id` is `~<series>:<n>`; a series of its own does not begin with `~`. */
function backSeries(posted: Transfer): string {
  return `${posted.id.slice(1)}.back`;
}
