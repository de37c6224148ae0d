import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { MempoolError } from 'mempool-core';
import { fileError } from './file-error.ts';
import { decodeRecords, encodeRecord } from './record.ts';

const magic = Buffer.from('mmpljrnl');

interface OpenFile {
  readonly descriptor: number;
  readonly bytes: number;
}

/** What is in a file: the contents of its records, where the last whole one ends, and what lies behind that. */
interface Found {
  readonly contents: Buffer[];
  readonly end: number;
  readonly tornBytes: number;
}

/**
 * Reads a journal and writes nothing. If there is none, creates one from `initial`.
 *
 * @throws `ERR_MEMPOOL_CORRUPT`; `ERR_MEMPOOL_INCOMPATIBLE` for another program's file
 */
export function readJournal(path: string, initial: () => Iterable<Uint8Array>): Found {
  if (!fs.existsSync(path)) fs.closeSync(publish(path, draft(path, initial())));
  const file = fs.readFileSync(path);
  if (!file.subarray(0, magic.length).equals(magic))
    throw new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `not a journal of a pool: ${path}`, { key: path });
  const { contents, end } = decodeRecords(file, magic.length);
  return { contents, end, tornBytes: file.length - end };
}

/** A file of records that only grows, or is replaced as a whole. When a method returns, its writes survive a power cut. */
export class Journal {
  readonly #path: string;
  #descriptor: number;
  #bytes: number;
  /** The file may hold what nobody was told of: only opening it again makes sure. */
  #isDoubtful = false;

  /** `end`: where the last whole record ends. */
  constructor(path: string, end: number) {
    this.#path = path;
    this.#descriptor = fs.openSync(path, 'r+');
    this.#bytes = end;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws `ERR_MEMPOOL_STORE_FULL` and others, with the file as it was; `ERR_MEMPOOL_OUTCOME_UNKNOWN` */
  append(content: Uint8Array): void {
    if (this.#isDoubtful)
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'an earlier write failed half-way: open the pool again');
    const record = encodeRecord(content, this.#bytes);
    try {
      write(this.#descriptor, record, this.#bytes);
      fs.fdatasyncSync(this.#descriptor);
    } catch (error) {
      this.#takeBack(error);
      throw fileError(error, this.#path);
    }
    this.#bytes += record.length;
  }

  /** The old file is the journal until the new one is whole and has its name. */
  replace(contents: Iterable<Uint8Array>): void {
    const next = draft(this.#path, contents);
    this.#isDoubtful = true;
    publish(this.#path, next);
    this.#isDoubtful = false;
    fs.closeSync(this.#descriptor);
    this.#descriptor = next.descriptor;
    this.#bytes = next.bytes;
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  #takeBack(error: unknown): void {
    try {
      this.cut();
    } catch {
      this.#isDoubtful = true;
      throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the write failed half-way', { cause: error });
    }
  }

  /** Takes off what lies behind the last whole record, and makes sure of the others: a killed process may not have. */
  cut(): void {
    fs.ftruncateSync(this.#descriptor, this.#bytes);
    fs.fdatasyncSync(this.#descriptor);
  }
}

function draftOf(path: string): string {
  return `${path}.new`;
}

/** A whole journal under another name. */
function draft(path: string, contents: Iterable<Uint8Array>): OpenFile {
  const descriptor = fs.openSync(draftOf(path), 'w+', 0o600);
  try {
    let bytes = write(descriptor, magic, 0);
    for (const content of contents) bytes += write(descriptor, encodeRecord(content, bytes), bytes);
    fs.fsyncSync(descriptor);
    return { descriptor, bytes };
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(draftOf(path), { force: true });
    throw fileError(error, path);
  }
}

/** Gives it the name. The directory is synced too, or a power cut could bring the old file back. */
function publish(path: string, { descriptor }: OpenFile): number {
  fs.renameSync(draftOf(path), path);
  const directory = fs.openSync(dirname(path), 'r');
  fs.fsyncSync(directory);
  fs.closeSync(directory);
  return descriptor;
}

/** A system call may take less than it was given. */
function write(descriptor: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length; )
    done += fs.writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  return bytes.length;
}
