import { damaged } from 'mempool-sqlite/backend';
import {
  type LedgerStep,
  type RawRecord,
  type TransferState,
  transferOfRaw,
  type Wallet,
  walletText,
} from '../backend.ts';
import type { LedgerFile } from './ledger-file.ts';
import { digestBytes, stateCode, storedOf, typeCode } from './rows.ts';

/** Writes a step, inside the transaction in which it was planned. */
export function writeStep(file: LedgerFile, step: LedgerStep): void {
  new StepWriter(file, step).write();
}

class StepWriter {
  readonly #file: LedgerFile;
  readonly #step: LedgerStep;
  /** By id: every wallet that money moved in is among those that a step writes. */
  readonly #wallets: ReadonlyMap<string, Wallet>;

  constructor(file: LedgerFile, step: LedgerStep) {
    this.#file = file;
    this.#step = step;
    this.#wallets = new Map(step.wallets.map((wallet) => [wallet.id, wallet]));
  }

  write(): void {
    const { records, wallets, resolved, refusals, marks } = this.#step;
    const first = records[0]?.seq ?? Number.POSITIVE_INFINITY;
    const contents = new Map(records.flatMap(({ type, id, content }) => (type === 'wallet' ? [[id, content]] : [])));
    for (const wallet of wallets) {
      if (wallet.createdSeq >= first) this.#addWallet(wallet, contents.get(wallet.id) ?? walletText(wallet));
      else this.#changeWallet(wallet);
    }
    for (const record of records) this.#append(record);
    for (const id of new Set(records.flatMap((record) => (record.type === 'tags' ? [record.id] : []))))
      this.#setTags(id);
    for (const [id, state] of resolved) this.#resolve(id, state);
    for (const [owner, count] of refusals) this.#file.run('setRefusals', owner, count);
    for (const [key, text] of marks) {
      const [coupling = '', hash = ''] = key.split('\n');
      if (text === null) this.#file.run('removeMark', coupling, hash);
      else this.#file.run('setMark', coupling, hash, text);
    }
  }

  #append(raw: RawRecord): void {
    const { seq, at, type, digest, id, result, content } = raw;
    const transfer = type === 'transfer' ? transferOfRaw(raw) : null;
    const state = transfer === null ? null : stateCode(transfer.state);
    this.#file.run('addRecord', seq, at, typeCode(type), state, digestBytes(digest), id, result, content);
    if (transfer === null || transfer.outcome !== 'created') return;
    const { source, destination, expiresAt } = transfer;
    for (const wallet of [source, destination]) this.#file.run('addHistory', this.#seqOf(wallet), seq);
    if (expiresAt !== null) this.#file.run('addDue', expiresAt, seq);
  }

  #addWallet(wallet: Wallet, content: string): void {
    const { id, owner, tags, createdSeq, createdAt, version } = wallet;
    const { debitsPosted, creditsPosted, debitsPending, creditsPending } = wallet;
    this.#file.run('addWallet', {
      ...{ seq: createdSeq, version, createdAt, id, owner, content, tags: JSON.stringify(tags) },
      ...{ debitsPosted, creditsPosted, debitsPending, creditsPending },
      overdraft: Number(wallet.overdraft),
      closed: Number(wallet.closed),
    });
    for (const tag of tags) this.#file.run('addTag', tag, createdSeq);
  }

  #changeWallet(wallet: Wallet): void {
    const { createdSeq, version, closed } = wallet;
    const { debitsPosted, creditsPosted, debitsPending, creditsPending } = wallet;
    const counters = [debitsPosted, creditsPosted, debitsPending, creditsPending];
    this.#file.run('changeWallet', version, ...counters, Number(closed), createdSeq);
  }

  #setTags(id: string): void {
    const { tags, createdSeq } = this.#walletOf(id);
    this.#file.run('removeTags', createdSeq, createdSeq);
    this.#file.run('setTags', JSON.stringify(tags), createdSeq);
    for (const tag of tags) this.#file.run('addTag', tag, createdSeq);
  }

  #resolve(id: string, state: TransferState): void {
    const row = this.#file.row('transfer', id);
    if (row === undefined) throw damaged(`reservation ${id}`);
    const { seq, expiresAt } = transferOfRaw(storedOf(row).raw);
    if (this.#file.run('resolve', stateCode(state), seq).changes !== 1) throw damaged(`state of the reservation ${id}`);
    if (expiresAt !== null) this.#file.run('removeDue', expiresAt, seq);
  }

  #seqOf(id: string): number {
    return this.#walletOf(id).createdSeq;
  }

  #walletOf(id: string): Wallet {
    const wallet = this.#wallets.get(id);
    if (wallet === undefined) throw damaged(`wallet ${id}`);
    return wallet;
  }
}
