import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, link, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { type ImportOutcome, isMempoolError } from 'mempool-core';
import { configOf, openStore } from '../target/open-target.ts';
import { openOrMake } from '../target/store-target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Begin, exists, unwritten } from './command.ts';

/** Adds `export` and `import`. */
export function addTransferring(program: Command, begin: Begin): void {
  program
    .command('export')
    .description('write the whole pool of -c as lines of JSON')
    .argument('[file]', 'where to; an existing file is left alone; default: standard output')
    .action((file: string | undefined) => exportPool(begin, file));
  program
    .command('import')
    .description('fill the empty pool of -c with an export; a repeat goes on where an interrupted one stopped')
    .argument('[file]', 'where from; default: standard input')
    .option('--accept-changed', 'also import a file during whose export a block was applied or undone')
    .action((file: string | undefined, options: ImportChoices) => importPool(begin, file, options));
}

interface ImportChoices {
  readonly acceptChanged?: boolean;
}

async function exportPool(begin: Begin, file: string | undefined): Promise<void> {
  const { terminal, place } = begin();
  await using target = await openStore(place, terminal);
  const counted = new CountedLines(target.pool.export({ signal: terminal.signal }), terminal);
  if (file === undefined) for await (const line of counted.all()) await terminal.line(line);
  else {
    const bytes = await writeNew(file, counted.all(), terminal.signal);
    const { lines, end } = counted;
    await terminal.answer({ file, lines, bytes, ...end }, () => `wrote ${lines} lines, ${bytes} bytes: ${file}`);
  }
  if (counted.end.changed)
    throw new Failure(exitCodes.changed, 'changed: others wrote to the pool during the export; the file is usable');
}

/** The lines of an export, with its progress and the counts of its last line. */
class CountedLines {
  readonly #source: AsyncIterable<string>;
  readonly #terminal: Terminal;
  #last = '{}';
  lines = 0;

  constructor(source: AsyncIterable<string>, terminal: Terminal) {
    this.#source = source;
    this.#terminal = terminal;
  }

  async *all(): AsyncGenerator<string, undefined> {
    let progress: Progress | null = null;
    for await (const line of this.#source) {
      progress ??= new Progress(this.#terminal, 'exported', expectedLines(line));
      this.#last = line;
      this.lines += 1;
      progress.report(this.lines);
      yield line;
    }
  }

  get end(): { readonly live: number; readonly logged: number; readonly records: number; readonly changed: boolean } {
    const { live, logged, records, changed } = JSON.parse(this.#last);
    return { live, logged, records, changed };
  }
}

/** The number of transactions and log entries in the first line. */
function expectedLines(first: string): number {
  const { live = 0, logged = 0 } = JSON.parse(first);
  return live + logged;
}

/** The file appears under its name when it is whole and on the disk. Until then it has a name that no other run has. */
async function writeNew(file: string, lines: AsyncIterable<string>, signal: AbortSignal): Promise<number> {
  if (await access(file).then(...yesOrNo)) throw exists(file);
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  const reserved = await open(partial, 'wx').catch((error: unknown) => {
    throw unwritten(file, error);
  });
  try {
    const out = reserved.createWriteStream({ flush: true });
    const ended = async function* (): AsyncGenerator<string> {
      for await (const line of lines) yield `${line}\n`;
    };
    await pipeline(Readable.from(ended()), out, { signal });
    await name(partial, file);
    return out.bytesWritten;
  } catch (error) {
    throw unwritten(file, error);
  } finally {
    await rm(partial, { force: true });
  }
}

const yesOrNo = [() => true, () => false] as const;

/** Gives a file another name. It never takes the name of another file, as a rename does. */
async function name(partial: string, file: string): Promise<void> {
  try {
    await link(partial, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // A file system without hard links: the name is taken first.
    await (await open(file, 'wx')).close();
    await rename(partial, file);
  }
}

async function importPool(
  begin: Begin,
  file: string | undefined,
  { acceptChanged = false }: ImportChoices,
): Promise<void> {
  const { terminal, place } = begin();
  const config = await configOf(place, terminal);
  const { signal } = terminal;
  const input: Readable = file === undefined ? terminal.stdin : createReadStream(file);
  try {
    // Read first: a file that is none makes no pool.
    const [first, lines] = await peeked(linesOf(input));
    const { ordering = 'fifo' } = config.mempool;
    assertOrdering(first, ordering);
    await using pool = await openOrMake(config);
    const progress = new Progress(terminal, 'imported', expectedLines(first));
    const onProgress = (now: { readonly lines: number }): void => progress.report(now.lines);
    const outcome = await pool.import(lines, { signal, acceptChanged, onProgress });
    if (outcome.kind !== 'imported') throw refusals[outcome.kind];
    // The pool is imported, whatever becomes of this look at it.
    const usage = await pool.usage({ signal }).catch(() => null);
    await terminal.answer({ ...outcome, usage }, () => `imported: ${outcome.lines} lines`);
  } catch (error) {
    throw namingFile(error, file);
  } finally {
    input.destroy();
  }
}

const refusals: Readonly<Record<Exclude<ImportOutcome['kind'], 'imported'>, Failure>> = {
  'not-empty': new Failure(
    exitCodes.refused,
    'the pool is not empty: import needs one that was never used; nothing was changed',
  ),
  'other-file': new Failure(
    exitCodes.refused,
    'another file is being imported into this pool: import that one to its end; nothing was changed',
  ),
  'tip-changed': new Failure(
    exitCodes.changed,
    'a block was applied or undone during the export: export again into an empty pool, or add --accept-changed',
  ),
};

/** Returns the first line, and all lines. */
async function peeked(
  lines: AsyncGenerator<string, undefined>,
): Promise<readonly [string, AsyncGenerator<string, undefined>]> {
  const first = (await lines.next()).value ?? '';
  const all = async function* (): AsyncGenerator<string, undefined> {
    if (first !== '') yield first;
    yield* lines;
  };
  return [first, all()];
}

/** @throws `Failure` if the line is not the first one of an export of a pool of this ordering */
function assertOrdering(first: string, ordering: string): void {
  const given = /^\{"format":"mempool-export".*"ordering":"(fifo|priority)"/.exec(first)?.[1];
  if (given === undefined) throw new Failure(exitCodes.failed, 'line 1 is not the first line of an export');
  if (given !== ordering)
    throw new Failure(exitCodes.usage, `the file is of a ${given} pool: set ordering = "${given}" in [mempool]`);
}

/** More than the line of the largest payload and of the largest record. */
const longestLine = 256 * 2 ** 20;

/** @throws `Failure` if the file cannot be read, is no UTF-8, or has a line that is far too long */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const chunk of input) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > longestLine) throw new RangeError('a line is too long');
    }
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw new Failure(exitCodes.failed, `this is no export: ${error.message}`);
    throw error;
  }
  if (rest !== '') yield rest;
}

function namingFile(error: unknown, file: string | undefined): unknown {
  if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID') || error.details.line === undefined) return error;
  const remedy = 'the lines before it are stored: import the whole file to go on, or begin with an empty pool';
  return new Failure(exitCodes.failed, `${file ?? 'standard input'}, ${error.message}; ${remedy}`);
}
