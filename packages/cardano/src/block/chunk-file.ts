/** Reads a chunk file: blocks one after the other, nothing between them. */
import { type FileHandle, open } from 'node:fs/promises';
import { CborError } from '../bytes/cbor-error.ts';
import { majors } from '../bytes/cbor-head.ts';
import { itemEnd } from '../bytes/cbor-walker.ts';
import { type ChainBlock, readBlock } from './block.ts';
import { BlockError, describePlace } from './block-error.ts';
import { ChainFileError } from './chain-file-error.ts';

export interface ChunkFileOptions {
  /** Bytes read at a time. Default: 1 MiB. */
  readonly readSizeBytes?: number;
  /** A block that is not complete within so many bytes is refused, lest damage make us read the whole file. Default: 16 MiB. */
  readonly maxBlockBytes?: number;
}

interface Source {
  readonly path: string;
  readonly file: FileHandle;
  readonly readSizeBytes: number;
  readonly maxBlockBytes: number;
}

interface BlockCut {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const mebibyte = 1024 * 1024;
const nothing = new Uint8Array(0);

/**
 * The blocks of a chunk file in order, each checked to follow the one before; the first one's parent is not in the file and is
 * not checked. Reads as it goes: memory holds a read and a block, whatever the size of the file.
 * @throws ChainFileError when the file cannot be read, is empty, holds anything but whole blocks, or a link is broken.
 */
export async function* readChunkFile(path: string, options: ChunkFileOptions = {}): AsyncGenerator<ChainBlock, void> {
  const { readSizeBytes = mebibyte, maxBlockBytes = 16 * mebibyte } = options;
  const file = await orFileError(path, () => open(path));
  try {
    yield* readBlocks({ path, file, readSizeBytes, maxBlockBytes });
  } finally {
    await file.close();
  }
}

async function* readBlocks(source: Source): AsyncGenerator<ChainBlock, void> {
  let before: ChainBlock | null = null;
  for await (const { offset, bytes } of cutBlocks(source)) {
    const block = orBlockError(source.path, offset, () => readBlock(bytes));
    if (before !== null) expectLink(source.path, offset, before, block);
    yield block;
    before = block;
  }
}

async function* cutBlocks(source: Source): AsyncGenerator<BlockCut, void> {
  let offset = 0;
  let unread: Uint8Array = nothing;
  for (;;) {
    const length = orBlockError(source.path, offset, () => wholeBlockLength(unread));
    if (length === null) {
      const more = await readMore(source, offset, unread.length);
      if (more.length === 0) return expectEnd(source.path, offset, unread.length);
      unread = Buffer.concat([unread, more]);
    } else {
      yield { offset, bytes: unread.subarray(0, length) };
      unread = unread.subarray(length);
      offset += length;
    }
  }
}

/** `null` when more bytes are needed to tell. */
function wholeBlockLength(bytes: Uint8Array): number | null {
  const initial = bytes[0];
  if (initial === undefined) return null;
  if (initial >> 5 !== majors.array) throw new BlockError(0, 'not a block', null);
  try {
    return itemEnd(bytes, 0);
  } catch (error) {
    if (error instanceof CborError && error.fault === 'truncated') return null;
    throw error;
  }
}

/** Reads at least as much again as is waiting, so that the repeated walk of a long block after every read stays linear. */
async function readMore(source: Source, offset: number, waiting: number): Promise<Uint8Array> {
  const { path, file, readSizeBytes, maxBlockBytes } = source;
  if (waiting > maxBlockBytes) {
    throw new ChainFileError(path, `a block without an end in ${maxBlockBytes} bytes`, { offset });
  }
  const buffer = new Uint8Array(Math.max(readSizeBytes, waiting));
  const { bytesRead } = await orFileError(path, () => file.read(buffer));
  return buffer.subarray(0, bytesRead);
}

function expectEnd(path: string, offset: number, unread: number): void {
  if (unread > 0) {
    const message = `the file ends inside the block that begins here, after ${unread} bytes of it`;
    throw new ChainFileError(path, message, { offset });
  }
  if (offset === 0) throw new ChainFileError(path, 'the file is empty');
}

function expectLink(path: string, offset: number, before: ChainBlock, block: ChainBlock): void {
  if (block.parent === before.hash) return;
  const parent = block.parent ?? 'none';
  const message = `its parent is ${parent}, but ${describePlace(before)} has the hash ${before.hash}`;
  throw new ChainFileError(path, message, { offset, place: block });
}

function orBlockError<T>(path: string, start: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof CborError) {
      throw new ChainFileError(path, cause.reason, { offset: start + cause.offset, cause });
    }
    if (!(cause instanceof BlockError)) throw cause;
    const { place, message } = cause;
    throw new ChainFileError(path, message, { offset: start + cause.offset, place, cause });
  }
}

async function orFileError<T>(path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw new ChainFileError(path, describeFileError(cause), { cause });
  }
}

function describeFileError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a directory, not a chunk file';
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read';
  return `the file cannot be read (${code})`;
}
