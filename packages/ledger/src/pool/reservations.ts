import { createHash } from 'node:crypto';
import { seriesId } from '../codec/content.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Ledger, TransferAnswer } from '../ledger/ledger.ts';
import type { SeriesEnd } from '../ledger/verbs.ts';
import type { PoolTransfer } from './pool-options.ts';
import { noteMetadata, noteOf, type Position, positionMetadata, positionOf, type ReservationNote } from './position.ts';

/** The series of a transaction's reservations. A hash of more than 64 digits is named by its SHA-256. */
export function seriesOfHash(name: string, hash: string): string {
  const short = hash.length <= 64 ? hash : `sha256-${createHash('sha256').update(hash).digest('hex')}`;
  return `${name}.${short}`;
}

/** What the ledger says about a hash up to an event. */
export interface Statement {
  readonly position: Position;
  /** The last thing that happened: the follower asked the payer for this event, and was refused. */
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

  /** Makes the reservation after number `after`, or gets the one that is there. */
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

  /** Voids what a submission has reserved in vain. It is no statement about an event. */
  withdraw({ id }: Transfer): Promise<TransferAnswer> {
    return this.#ledger.void({ id: `withdraw.${id}`, pendingId: id });
  }

  /** The event that a reservation was posted for; if somebody else posted it, the one that it was made after. */
  async postedAt(posted: Transfer): Promise<Position> {
    const own = positionOf(await this.#ledger.findTransfer(`post.${posted.id}`));
    return own ?? noteOf(posted) ?? { era: '', event: 0 };
  }

  /** The newest reservation that was posted. */
  async lastPosted(hash: string, { number, last }: SeriesEnd): Promise<Transfer | null> {
    for (let n = number; n > 0; n--) {
      const one = n === number ? last : await this.#at(hash, n);
      if (one?.state === 'posted') return one;
    }
    return null;
  }

  /** The latest event that the reservations of a hash tell of. Attempts of submissions tell nothing: it looks below them. */
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

  /** Whether a payment was given back. */
  async isReverted(posted: Transfer): Promise<boolean> {
    return (await this.#ledger.seriesEnd(backSeries(posted))).last?.state === 'posted';
  }

  /** The series of what gives a payment back, and its end. */
  backEnd(posted: Transfer): Promise<SeriesEnd> {
    return this.#ledger.seriesEnd(backSeries(posted));
  }

  /** Reserves what was paid, to give it back from a wallet. */
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

  /** The wallet that pays what nobody else does, in this currency: `debt` in that of the vault. It is made at its first use. */
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
