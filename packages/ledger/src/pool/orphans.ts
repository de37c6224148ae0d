import type { LedgerRecord } from '../contract/record.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CursorRecord } from './cursor-record.ts';
import type { Coupling } from './pool-options.ts';
import { noteOf, type Place, type Position, type ReservationNote } from './position.ts';
import type { Reservations } from './reservations.ts';
import { dutyOf, type Settlement } from './settlement.ts';

interface Open {
  readonly transfer: Transfer;
  readonly note: ReservationNote;
}

export interface OrphanParts {
  readonly coupling: Coupling;
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly settlement: Settlement;
  readonly record: CursorRecord;
  readonly orphanAfterMs: number;
}

/** Ends reservations that no event ends: those of submissions that crashed before the receipt, and those whose events were lost. */
export class Orphans {
  readonly #parts: OrphanParts;
  readonly #open = new Map<string, Open>();
  /** Hashes of which a reservation was voided since they were last compared with the pool. */
  readonly #voided = new Set<string>();
  /** Ids that were reported as `unknown`: each once. */
  readonly #reported = new Set<string>();
  /** Records up to this one are in `#open`. */
  #seen = 0;

  constructor(parts: OrphanParts) {
    this.#parts = parts;
  }

  /**
   * Voids reservations that are older than `orphanAfterMs` and whose transaction was not received. It does so only if the log since then
   * can be read without loss and has no receipt. For a later receipt, the follower reserves again.
   */
  async voidOld(): Promise<void> {
    await this.#refresh();
    await this.#voidIdle();
    await this.#refresh();
    await this.#reserveAgain();
  }

  async #voidIdle(): Promise<void> {
    const { coupling, record, orphanAfterMs } = this.#parts;
    const { epoch, lastEventSeq } = await coupling.pool.usage();
    const position = { era: await record.era(epoch), event: lastEventSeq };
    const old = [...this.#open.values()].filter(({ transfer }) => transfer.at + orphanAfterMs <= Date.now());
    // The end of the log was read first: a receipt before it shows in the status or in the log.
    const idle = await this.#idle(old);
    const received = await this.#namedSince(idle, position);
    for (const { transfer, note } of idle) {
      if (note.era !== position.era || received === null) this.#reportUnknown({ transfer, note });
      else if (!received.has(note.hash)) await this.#parts.reservations.void(transfer, position);
    }
  }

  /**
   * Reserves for transactions that live although their reservation was voided. A process may stand still between its look at the pool and its
   * void; meanwhile another one counted on that reservation, and its receipt was settled. The pool is looked at after the void was read, so what
   * is received later finds nothing open when its event is settled.
   */
  async #reserveAgain(): Promise<void> {
    const { coupling, record, settlement } = this.#parts;
    const { epoch, lastEventSeq, cursors } = await coupling.pool.usage();
    const position = { era: await record.era(epoch), event: lastEventSeq, cursor: cursors.events };
    for (const some of chunks([...this.#voided], 1_000)) {
      for (const { hash, stage } of await coupling.pool.checkStatus(some)) {
        const duty = dutyOf(stage, coupling.postOn);
        if (duty === 'reserved' || duty === 'carried') await settlement.compare(hash, stage, position);
        this.#voided.delete(hash);
      }
    }
  }

  #reportUnknown({ transfer, note }: Open): void {
    if (this.#reported.size === this.#reported.add(transfer.id).size) return;
    this.#parts.coupling.report({ kind: 'unknown', hash: note.hash, transfer });
  }

  /** Compares all reservations ever made with the pool, after a loss of events. */
  async compareAll(position: Place): Promise<void> {
    const hashes = new Set<string>();
    for await (const record of this.#history(0)) {
      const open = reservedBy(record, this.#parts.coupling.name);
      if (open !== null) hashes.add(open.note.hash);
    }
    for (const some of chunks([...hashes], 1_000)) {
      const statuses = await this.#parts.coupling.pool.checkStatus(some);
      for (const { hash, stage } of statuses) await this.#parts.settlement.compare(hash, stage, position);
    }
  }

  async #idle(old: readonly Open[]): Promise<readonly Open[]> {
    const idle: Open[] = [];
    for (const some of chunks(old, 1_000)) {
      const statuses = await this.#parts.coupling.pool.checkStatus(some.map(({ note }) => note.hash));
      idle.push(
        ...some.filter((_, index) => ['Unknown', 'Dropped', 'Finalized'].includes(statuses[index]?.stage ?? '')),
      );
    }
    return idle;
  }

  /** The hashes that the log names after the reservations of this era were made; `null` if it cannot be read without loss. */
  async #namedSince(open: readonly Open[], { era, event: end }: Position): Promise<ReadonlySet<string> | null> {
    const named = new Set<string>();
    const ofEra = open.filter(({ note }) => note.era === era);
    const oldest = ofEra.toSorted((a, b) => a.note.event - b.note.event)[0];
    if (oldest === undefined || oldest.note.event >= end) return named;
    const since = new Map(ofEra.map(({ note }) => [note.hash, note.event]));
    for await (const event of await this.#parts.coupling.pool.subscribe({ after: oldest.note.cursor })) {
      if (event.kind === 'lagged') return null;
      if (event.kind === 'transaction' && event.eventSeq > (since.get(event.hash) ?? end)) named.add(event.hash);
      if (event.eventSeq >= end) break;
    }
    return named;
  }

  async #refresh(): Promise<void> {
    for await (const record of this.#history(this.#seen)) {
      this.#seen = record.seq;
      const open = reservedBy(record, this.#parts.coupling.name);
      if (open !== null) this.#open.set(open.transfer.id, open);
      else if (record.type === 'transfer' && record.transfer.outcome === 'created') this.#resolve(record.transfer);
    }
  }

  #resolve({ kind, pendingId }: Transfer): void {
    const open = pendingId === null ? undefined : this.#open.get(pendingId);
    if (open === undefined) return;
    this.#open.delete(open.transfer.id);
    if (kind === 'void') this.#voided.add(open.note.hash);
  }

  async *#history(after: number): AsyncGenerator<LedgerRecord, void> {
    for (let seq = after; ; ) {
      const records = await this.#parts.ledger.records(seq);
      yield* records;
      const last = records.at(-1);
      if (last === undefined) return;
      seq = last.seq;
    }
  }
}

function reservedBy(record: LedgerRecord, pool: string): Open | null {
  if (record.type !== 'transfer') return null;
  const { transfer } = record;
  if (transfer.kind !== 'reserve' || transfer.outcome !== 'created') return null;
  const note = noteOf(transfer);
  return note?.pool === pool ? { transfer, note } : null;
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
