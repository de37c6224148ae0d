import { damaged } from 'mempool-sqlite/backend';
import type { Head, LedgerView, StoredTransfer, Wallet } from '../backend.ts';
import type { LedgerFile } from './ledger-file.ts';
import { headOf, storedOf, walletOf } from './rows.ts';

/** The content of the file, for the rules. It is valid within one transaction. */
export class FileView implements LedgerView {
  readonly head: Head;
  readonly #file: LedgerFile;

  constructor(file: LedgerFile) {
    this.#file = file;
    this.head = headRow(file);
  }

  get trimmedAt(): number | null {
    const { seq, at } = baseRow(this.#file);
    return seq === 0 ? null : at;
  }

  wallet(id: string): Wallet | null {
    const row = this.#file.row('wallet', id);
    return row === undefined ? null : walletOf(row);
  }

  walletContent(id: string): string | null {
    const row = this.#file.row('walletContent', id);
    return row === undefined ? null : String(row.content);
  }

  transfer(id: string): StoredTransfer | null {
    const row = this.#file.row('transfer', id);
    return row === undefined ? null : storedOf(row);
  }

  refusals(owner: string): number {
    return Number(this.#file.row('refusals', owner)?.count ?? 0);
  }

  mark(coupling: string, hash: string): string | null {
    const row = this.#file.row('mark', coupling, hash);
    return row === undefined ? null : String(row.text);
  }

  due(at: number, limit: number): readonly string[] {
    return Array.from(this.#file.rows('due', at, limit), ({ id }) => String(id));
  }
}

/** The newest record. */
export function headRow(file: LedgerFile): Head {
  const row = file.row('head');
  return row === undefined ? baseRow(file) : headOf(row);
}

/** The record before the oldest one that is kept. */
export function baseRow(file: LedgerFile): Head {
  const row = file.row('base');
  if (row === undefined) throw damaged('row of the ledger');
  return headOf(row);
}
