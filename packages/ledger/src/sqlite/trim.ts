import type { Row } from 'mempool-sqlite/backend';
import {
  type CountersByWallet,
  foldRecord,
  type LedgerRecord,
  mayTrim,
  noCounters,
  recordOfRaw,
  refusalOwner,
  type SweepAnswer,
} from '../backend.ts';
import type { LedgerFile } from './ledger-file.ts';
import { digestBytes, openingOf, rawOf, storedOf } from './rows.ts';

/** Removes at most `limit` of the oldest records made before `before` and adds them to the openings, inside a transaction. */
export function trimRecords(file: LedgerFile, limit: number, before: number): SweepAnswer {
  const rows = [...file.rows('records', 0, limit + 1)];
  const kept = rows.findIndex((row) => !isTrimmable(row, before));
  const oldest = kept === -1 ? rows.length : kept;
  const trimmer = new Trimmer(file);
  for (const row of rows.slice(0, limit).slice(0, oldest)) trimmer.remove(row);
  trimmer.finish();
  return { count: Math.min(oldest, limit), more: oldest > limit };
}

function isTrimmable(row: Row, before: number): boolean {
  const raw = rawOf(row);
  return mayTrim(raw.at, raw.type === 'transfer' ? storedOf(row) : null, before);
}

class Trimmer {
  readonly #file: LedgerFile;
  readonly #openings: CountersByWallet = new Map();
  readonly #changed = new Set<string>();
  #last: Row | null = null;

  constructor(file: LedgerFile) {
    this.#file = file;
  }

  remove(row: Row): void {
    const raw = rawOf(row);
    const record = recordOfRaw(raw);
    for (const wallet of walletsOf(record)) this.#load(wallet);
    for (const wallet of foldRecord(this.#openings, record)) {
      this.#changed.add(wallet);
      if (record.type === 'transfer') this.#file.run('removeHistory', wallet, raw.seq);
    }
    this.#file.run('removeRecord', raw.seq);
    if (record.type === 'transfer' && record.transfer.outcome !== 'created') this.#discount(refusalOwner(raw));
    this.#last = row;
  }

  finish(): void {
    if (this.#last === null) return;
    for (const wallet of this.#changed) this.#store(wallet);
    const { seq, at, digest } = rawOf(this.#last);
    this.#file.run('setBase', seq, at, digestBytes(digest));
  }

  #load(wallet: string): void {
    const row = this.#openings.has(wallet) ? undefined : this.#file.row('opening', wallet);
    if (row === undefined) return;
    const { wallet: _, ...counters } = openingOf(row);
    this.#openings.set(wallet, counters);
  }

  #store(wallet: string): void {
    const { debitsPosted, creditsPosted, debitsPending, creditsPending } = this.#openings.get(wallet) ?? noCounters;
    this.#file.run('setOpening', wallet, debitsPosted, creditsPosted, debitsPending, creditsPending);
  }

  #discount(owner: string): void {
    this.#file.run('setRefusals', owner, Number(this.#file.row('refusals', owner)?.count ?? 1) - 1);
  }
}

function walletsOf(record: LedgerRecord): readonly string[] {
  if (record.type === 'wallet') return [record.wallet.id];
  return record.type === 'transfer' ? [record.transfer.source, record.transfer.destination] : [];
}
