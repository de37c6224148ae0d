import type { DumpedPart, PoolContent } from '../contract/dump.ts';
import { MempoolError } from '../contract/errors.ts';
import { limitNames } from '../contract/limits.ts';
import { toJsonValue } from './to-json.ts';

const format = 'mempool-dump';
const version = 1;
const limits: ReadonlySet<string> = new Set(limitNames);

/**
 * A dump as lines of JSON, without line ends: a header, one line for each part, and the number of parts. Bytes are base64.
 *
 * @example for (const line of encodeDump(await pool.dump())) file.write(`${line}\n`);
 */
export function* encodeDump({
  ordering,
  content,
}: Pick<PoolContent, 'ordering'> & { readonly content: Iterable<DumpedPart> }): Generator<string, undefined> {
  yield JSON.stringify({ format, version, ordering });
  let parts = 0;
  for (const part of content) {
    yield JSON.stringify(toJsonValue(part));
    parts += 1;
  }
  yield JSON.stringify({ kind: 'end', parts });
}

/**
 * The inverse of `encodeDump`, for `restore`. Reads the header at once, and the other lines while `restore` reads the
 * content, once. So an error of a later line is an error of `restore`, which then has changed nothing.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `dump`, with the number of the line: it is no JSON, or of another format; or lines
 * are missing
 * @example await pool.restore(await decodeDump(createInterface({ input: createReadStream('pool.ndjson') })));
 */
export async function decodeDump(lines: AsyncIterable<string> | Iterable<string>): Promise<PoolContent> {
  const numbered = numberedLines(lines);
  const [, header] = (await numbered.next()).value ?? [1, null];
  const ordering = header?.ordering;
  if (header?.format !== format || header.version !== version || (ordering !== 'fifo' && ordering !== 'priority'))
    throw wrongLine(1, `is not the header of a ${format} of version ${version}`);
  return { ordering, content: partsOf(numbered) };
}

type Line = readonly [number: number, read: Readonly<Record<string, unknown>>];

async function* numberedLines(lines: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Line, undefined> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    yield [number, readLine(number, line)];
  }
}

async function* partsOf(lines: AsyncGenerator<Line, undefined>): AsyncGenerator<DumpedPart, undefined> {
  let [last, parts] = [1, 0];
  let isEnded = false;
  for await (const [number, read] of lines) {
    if (isEnded) throw wrongLine(number, 'is behind the end');
    last = number;
    isEnded = read.kind === 'end';
    if (isEnded && read.parts !== parts) throw wrongLine(number, `says ${read.parts} parts, and ${parts} were read`);
    if (isEnded) continue;
    yield read as DumpedPart;
    parts += 1;
  }
  if (!isEnded) throw wrongLine(last, 'is not the end: lines are missing');
}

function readLine(number: number, line: string): Line[1] {
  try {
    const read: unknown = JSON.parse(line, revived);
    if (typeof read === 'object' && read !== null) return read as Line[1];
  } catch (cause) {
    throw wrongLine(number, 'cannot be read', cause);
  }
  throw wrongLine(number, 'is no JSON object');
}

/** The fields that JSON cannot say, by their names. */
function revived(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'payload' || name === 'value') return bytesOf(value);
  if (name === 'priority' || name === 'tip' || name === 'minPriority') return BigInt(value);
  return value === 'never' && limits.has(name) ? Number.POSITIVE_INFINITY : value;
}

function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new TypeError('not base64');
  return new Uint8Array(bytes);
}

function wrongLine(number: number, what: string, cause?: unknown): MempoolError {
  const error = new MempoolError('ERR_MEMPOOL_INVALID', `line ${number} of the dump ${what}`, { field: 'dump' });
  error.cause = cause;
  return error;
}
