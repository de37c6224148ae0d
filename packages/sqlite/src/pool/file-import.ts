import { knownStages } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { DiskReserve } from '../file/disk-reserve.ts';
import { damaged } from '../file/row.ts';
import { readSql } from '../file/sql-text.ts';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { RecordTable } from './record-table.ts';
import { checksumOf, decodeState, type PoolState } from './records.ts';

const statements = readSql('pool/import-statements.sql');
const index = readSql('pool/import-index.sql');

/** The writes that depend on the pool's ordering. */
export interface OrderedWrites {
  numbers(numbers: core.NumbersPart): void;
  entry(entry: core.Entry): void;
  satisfied(tag: string, tick: number): void;
  /** Runs with the first page and with the last one. Other processes must then read the pool again. */
  replaced(): void;
}

/** True if an import into the pool has begun and not ended. */
export function isImporting(file: PoolFile): boolean {
  return file.row('importing')?.importing === 1;
}

/** Stores the pages of an import. Each is one transaction, with the place that it reaches in its file (D3). */
export class FileImport {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  readonly #writes: OrderedWrites;
  readonly #options: core.DriverOptions;
  readonly #room: DiskReserve;

  constructor(file: PoolFile, hashes: HashIndex, writes: OrderedWrites, options: core.DriverOptions) {
    this.#file = file;
    this.#hashes = hashes;
    this.#writes = writes;
    this.#options = options;
    this.#room = new DiskReserve(file);
  }

  store(page: core.ImportedPage, { signal }: core.ReadContext): core.Awaitable<core.PageOutcome> {
    const file = this.#file;
    file.include(statements);
    return file.write({ ...this.#options, signal }, () => this.#store(page));
  }

  #store(page: core.ImportedPage): core.PageOutcome {
    const mark = this.#mark();
    const outcome = core.judgePage(mark, this.#isUnused(), page);
    if (outcome !== null) return outcome;
    const bodies = page.parts.flatMap((part) =>
      part.kind === 'live' || part.kind === 'ended' ? (part.body ?? []) : [],
    );
    this.#room.reserve(bodies.reduce((bytes, { payload }) => bytes + payload.length, 0));
    if (mark === null || page.isLast) this.#writes.replaced();
    for (const part of page.parts) this.#write(part);
    this.#file.run('putImportMark', { id: page.id, ...page.to, done: Number(page.isLast) });
    return { kind: 'stored' };
  }

  #mark(): core.ImportMark | null {
    const row = this.#file.row('importMark');
    if (row === undefined) return null;
    return {
      id: String(row.id),
      lines: Number(row.lines),
      digest: String(row.digest),
      isDone: row.done === 1,
    };
  }

  #isUnused(): boolean {
    const { lastVersion } = new RecordTable(this.#file).totals();
    return core.isUnused({ ...this.#state(), lastVersion });
  }

  #state(): PoolState {
    return decodeState({ ...this.#file.row('pool'), importing: 0 });
  }

  #write(part: core.PoolPart): void {
    switch (part.kind) {
      case 'start':
        break;
      case 'live':
        this.#insert(part.state, part.body, part.entry);
        this.#place(part);
        break;
      case 'ended':
        this.#end(part);
        break;
      case 'block': {
        const { tick, point, sighted } = part;
        this.#file.run('insertBlock', tick, core.encodePoint(point));
        for (const hash of sighted) this.#file.run('putInclusion', core.hashToBytes(hash), tick);
        break;
      }
      case 'numbers':
        this.#file.run('importNumbers', { ...part, tick: part.tip.tick });
        this.#file.run('importRetention', part.retention);
        this.#writes.numbers(part);
        break;
      case 'satisfied':
        this.#writes.satisfied(part.tag, part.tick);
        break;
      case 'record':
        new RecordTable(this.#file).restore(part.record);
        break;
      case 'finish':
        this.#finish(part.lastVersion);
        break;
    }
  }

  #insert(
    { hash: name, seq }: core.TxState,
    { payload, payloadType: type }: core.Body,
    entry: core.Entry | null,
  ): void {
    const hash = core.hashToBytes(name);
    if (!this.#hashes.insert({ seq, hash, type, checksum: checksumOf(hash, payload), payload }))
      throw damaged('sequence of transactions');
    if (entry !== null) this.#writes.entry(entry);
  }

  #place({ state, point }: core.LivePart): void {
    const { seq, stage, tick, notBefore, facts } = state;
    const { receivedAt, attempts, sentAt } = facts;
    if (notBefore !== undefined) this.#file.run('hold', seq, notBefore, receivedAt, attempts);
    else if (stage === 'Pending') this.#file.run('returnPending', seq, receivedAt, attempts);
    else {
      const [code, bytes] = [knownStages.indexOf(stage), point && core.encodePoint(point)];
      this.#file.run('putInflight', seq, code, tick, bytes, receivedAt, attempts, sentAt);
    }
  }

  #end({ logSeq, state, point, body, entry, at, late }: core.EndedPart): void {
    const { facts, ...life } = state;
    const hash = core.hashToBytes(state.hash);
    if (late) this.#removeEarlier(hash);
    if (body !== null) this.#insert(state, body, entry);
    const [stage, bytes] = [knownStages.indexOf(state.stage), point && core.encodePoint(point)];
    this.#file.run('importLog', { ...life, ...facts, at, logSeq, hash, stage, point: bytes });
  }

  /** An earlier line has it in an earlier state, in which it was when the export began. */
  #removeEarlier(hash: Buffer): void {
    this.#file.execute(index);
    const seq = this.#file.row('seqOf', hash)?.seq as number | undefined;
    if (seq === undefined) return;
    for (const name of ['deletePending', 'wake', 'deleteInflight']) this.#file.run(name, seq);
    this.#hashes.remove(seq, hash);
  }

  #finish(lastVersion: number): void {
    const file = this.#file;
    new RecordTable(file).restoreVersion(lastVersion);
    if (file.row('formerLife') !== undefined) {
      file.execute(index);
      file.run('repointFormerLives');
    }
    file.execute(readSql('pool/import-end.sql'));
    const { held, ...counts } = file.row('recount') ?? {};
    file.run('importCounts', counts);
    file.run('countHeld', held);
  }
}
