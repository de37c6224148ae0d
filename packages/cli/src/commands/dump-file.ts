import { createHash, type Hash } from 'node:crypto';
import { exitCodes, Failure } from '../terminal/exit-code.ts';

/** After so many lines comes a line with the checksum of everything before it, so that an altered file can say where. */
const linesPerChecksum = 1_000;

interface ChecksumLine {
  readonly kind: 'checksum';
  /** The number of lines before this one, without lines with checksums. */
  readonly lines: number;
  /** The SHA-256 of all these lines, with their line ends. */
  readonly sha256: string;
}

/** Yields the lines of a dump, with lines with checksums in between and at the end. */
export function* withChecksums(lines: Iterable<string>): Generator<string, undefined> {
  const hash = createHash('sha256');
  let count = 0;
  const checksum = (): string => {
    count += 1;
    const line: ChecksumLine = { kind: 'checksum', lines: count - 1, sha256: hash.copy().digest('hex') };
    return JSON.stringify(line);
  };
  for (const line of lines) {
    if (count > 0 && count % linesPerChecksum === 0) yield checksum();
    hash.update(`${line}\n`);
    count += 1;
    yield line;
  }
  yield checksum();
}

/** The checked lines of a file. */
export interface CheckedLines {
  readonly lines: AsyncIterable<string>;
  /** Returns the number in the file of the line that was read last. */
  readonly line: () => number;
}

/**
 * Returns the lines of a dump without the lines with checksums, and checks these.
 * @throws `Failure` naming a range of lines if a checksum differs, or if the last checksum is missing
 */
export function checked(lines: AsyncIterable<string>): CheckedLines {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  return { lines: verified(lines, next), line: () => count };
}

async function* verified(lines: AsyncIterable<string>, next: () => number): AsyncGenerator<string, undefined> {
  const hash = createHash('sha256');
  let good = 0;
  let isSummed = false;
  let last = 0;
  for await (const line of lines) {
    const number = next();
    last = number;
    isSummed = line.startsWith('{"kind":"checksum"');
    if (isSummed) good = verify(line, hash, { number, good });
    else {
      hash.update(`${line}\n`);
      yield line;
    }
  }
  if (!isSummed)
    throw new Failure(exitCodes.failed, `the file is cut off after line ${last}: its last checksum is missing`);
}

/** Returns the number of the line up to which all is good. */
function verify(
  line: string,
  hash: Hash,
  { number, good }: { readonly number: number; readonly good: number },
): number {
  if (line === JSON.stringify({ kind: 'checksum', lines: number - 1, sha256: hash.copy().digest('hex') }))
    return number;
  throw new Failure(exitCodes.failed, `the file was altered between line ${good + 1} and line ${number}`);
}
