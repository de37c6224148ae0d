import { crc32 } from 'node:zlib';
import { MempoolError } from 'mempool-core';

/** Length, CRC-32 of the content, CRC-32 of these two: each a u32, big-endian. */
const headBytes = 12;

/** Encodes a record for this offset of the file. */
export function encodeRecord(content: Uint8Array, offset: number): Buffer {
  const record = Buffer.concat([Buffer.alloc(headBytes), content]);
  record.writeUInt32BE(content.length, 0);
  record.writeUInt32BE(crc32(content), 4);
  record.writeUInt32BE(headChecksum(record, offset), 8);
  return record;
}

/** The offset is in it, so that a payload which holds a record is not taken for one. */
function headChecksum(head: Uint8Array, offset: number): number {
  return crc32(head.subarray(0, 8), offset % 2 ** 32);
}

/** The content of the record at an offset; `null` if there is no complete and undamaged one. */
function contentAt(file: Buffer, offset: number): Buffer | null {
  const head = file.subarray(offset, offset + headBytes);
  if (head.length < headBytes || head.readUInt32BE(8) !== headChecksum(head, offset)) return null;
  const begin = offset + headBytes;
  const content = file.subarray(begin, begin + head.readUInt32BE(0));
  if (content.length !== head.readUInt32BE(0) || head.readUInt32BE(4) !== crc32(content)) return null;
  return content;
}

/**
 * The contents of the records from `offset` on, and the offset of their end. After the end there may be an unfinished record: its
 * call was not answered, so it may be cut off. An undamaged record after a damaged one means that the file has lost data.
 *
 * @throws `ERR_MEMPOOL_CORRUPT`
 */
export function decodeRecords(file: Buffer, offset: number): { contents: Buffer[]; end: number } {
  const contents: Buffer[] = [];
  let end = offset;
  for (let content = contentAt(file, end); content !== null; content = contentAt(file, end)) {
    contents.push(content);
    end += headBytes + content.length;
  }
  for (let behind = end + 1; behind < file.length; behind++)
    if (contentAt(file, behind) !== null)
      throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the journal is damaged between bytes ${end} and ${behind}`);
  return { contents, end };
}
