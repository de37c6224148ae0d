import { type DumpedPart, isLive, knownStages, type RestoreOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged } from '../file/row.ts';
import type { HashIndex } from './hash-index.ts';
import type { PoolFile } from './pool-file.ts';
import { RecordTable } from './record-table.ts';
import { checksumOf, decodeState, type PoolState } from './records.ts';

type Write = Extract<DumpedPart, { readonly kind: 'write' }>;
/** A part that only a priority pool has. */
export type RankedPart = Extract<DumpedPart, { readonly kind: 'limits' | 'gossip' | 'satisfied' | 'entry' }>;

/** The functions that write the parts that only pools of one ordering have. */
export interface OwnParts {
  fifo(claims: core.FifoRecord): void;
  ranked(part: RankedPart): void;
}

/** True if the file's pool is new (D3). */
export function isNewPool(file: PoolFile): boolean {
  const { lastVersion } = new RecordTable(file).totals();
  return core.isUnused({ ...decodeState(file.row('pool')), lastVersion });
}

/** Writes a content into a new pool, inside one transaction (D3). */
export class RestoreWriter {
  readonly #file: PoolFile;
  readonly #hashes: HashIndex;
  readonly #own: OwnParts;
  readonly #state: { -readonly [K in keyof PoolState]: PoolState[K] };
  /** Seqs of the rows in `tx`: a log entry of an earlier life points to the row of the latest. */
  readonly #rows = new Map<string, number>();

  constructor(file: PoolFile, hashes: HashIndex, own: OwnParts) {
    file.include('pool/restore-statements.sql');
    this.#file = file;
    this.#hashes = hashes;
    this.#own = own;
    this.#state = { ...decodeState(file.row('pool')) };
  }

  write(content: readonly DumpedPart[]): RestoreOutcome {
    for (const part of content)
      if (part.kind === 'write' && part.write.body !== null)
        this.#rows.set(part.write.after.hash, part.write.after.seq);
    for (const part of content) this.#writePart(part);
    Object.assign(this.#state, this.#file.row('recount'));
    this.#file.run('restoreStep', this.#state);
    this.#file.run('countHeld', this.#state.held);
    return { kind: 'restored' };
  }

  #writePart(part: DumpedPart): void {
    switch (part.kind) {
      case 'base': {
        const { tick, floor, lastSeq, trimmedLog, lastAt, fifo } = part;
        Object.assign(this.#state, { tick, floor, lastSeq, lastLogSeq: trimmedLog, logged: 0, lastAt });
        if (fifo) this.#own.fifo(fifo);
        break;
      }
      case 'block': {
        const { tick, point, sighted } = part.block;
        this.#file.run('insertBlock', tick, core.encodePoint(point));
        for (const hash of sighted) this.#file.run('putInclusion', core.hashToBytes(hash), tick);
        break;
      }
      case 'write':
        this.#put(part);
        break;
      case 'record':
        new RecordTable(this.#file).restore(part.record);
        break;
      case 'version':
        new RecordTable(this.#file).restoreVersion(part.lastVersion);
        break;
      case 'limits':
      case 'gossip':
      case 'satisfied':
      case 'entry':
        this.#own.ranked(part);
        break;
    }
  }

  #put({ write: { after, point, body }, at = 0 }: Write): void {
    const { seq, stage, tick, notBefore, facts } = after;
    const { receivedAt, attempts, sentAt } = facts;
    const hash = core.hashToBytes(after.hash);
    const [code, bytes] = [knownStages.indexOf(stage), point && core.encodePoint(point)];
    if (body !== null) {
      const { payload, payloadType: type } = body;
      if (!this.#hashes.insert({ seq, hash, type, checksum: checksumOf(hash, payload), payload }))
        throw damaged('sequence of transactions');
    }
    if (notBefore !== undefined) this.#file.run('hold', seq, notBefore, receivedAt, attempts);
    else if (stage === 'Pending') this.#file.run('returnPending', seq, receivedAt, attempts);
    else if (isLive(stage)) this.#file.run('putInflight', seq, code, tick, bytes, receivedAt, attempts, sentAt);
    else {
      this.#state.lastLogSeq += 1;
      this.#state.logged += 1;
      const row = { ...after, ...facts, at, logSeq: this.#state.lastLogSeq, hash, stage: code, point: bytes };
      this.#file.run('restoreLog', { ...row, tx: this.#rows.get(after.hash) ?? seq });
    }
  }
}
