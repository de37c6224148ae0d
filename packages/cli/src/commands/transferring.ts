import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, link, open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { decodeDump, encodeDump, isMempoolError } from 'mempool-core';
import { configOf, openStore } from '../target/open-target.ts';
import { openOrMake } from '../target/store-target.ts';
import { exitCodes, Failure } from '../terminal/exit-code.ts';
import { type Begin, exists, unwritten } from './command.ts';
import { checked, withChecksums } from './dump-file.ts';

/** Adds `export` and `import`. */
export function addTransferring(program: Command, begin: Begin): void {
  program
    .command('export')
    .description('write the whole pool of -c as lines of JSON; nobody else should change it meanwhile')
    .argument('[file]', 'where to; an existing file is left alone; default: standard output')
    .action((file: string | undefined) => exportPool(begin, file));
  program
    .command('import')
    .description('fill the new pool of -c with what export wrote, all or nothing')
    .argument('[file]', 'where from; default: standard input')
    .action((file: string | undefined) => importPool(begin, file));
}

async function exportPool(begin: Begin, file: string | undefined): Promise<void> {
  const { terminal, place } = begin();
  await using target = await openStore(place, terminal);
  const lines = withChecksums(encodeDump(await target.pool.store.dump({ signal: terminal.signal })));
  if (file === undefined) {
    for (const line of lines) await terminal.line(line);
    return;
  }
  const written = await writeNew(file, lines, terminal.signal);
  await terminal.answer({ file, ...written }, () => `wrote ${written.lines} lines, ${written.bytes} bytes: ${file}`);
}

/** The file appears under its name when it is whole and on the disk. Until then it has a name that no other run has. */
async function writeNew(
  file: string,
  lines: Iterable<string>,
  signal: AbortSignal,
): Promise<{ readonly lines: number; readonly bytes: number }> {
  if (await access(file).then(...yesOrNo)) throw exists(file);
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  const reserved = await open(partial, 'wx').catch((error: unknown) => {
    throw unwritten(file, error);
  });
  try {
    const out = reserved.createWriteStream({ flush: true });
    let count = 0;
    const counted = function* (): Generator<string> {
      for (const line of lines) {
        count += 1;
        yield `${line}\n`;
      }
    };
    await pipeline(Readable.from(counted()), out, { signal });
    await name(partial, file);
    return { lines: count, bytes: out.bytesWritten };
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

async function importPool(begin: Begin, file: string | undefined): Promise<void> {
  const { terminal, place } = begin();
  const config = await configOf(place, terminal);
  const { signal } = terminal;
  const input: Readable = file === undefined ? terminal.stdin : createReadStream(file);
  const source = checked(linesOf(input));
  try {
    // Read first: a file that is none makes no pool.
    const content = await decodeDump(source.lines);
    const { ordering = 'fifo' } = config.mempool;
    if (ordering !== content.ordering) {
      const remedy = `set ordering = "${content.ordering}" in [mempool]`;
      throw new Failure(exitCodes.usage, `the dump is of a ${content.ordering} pool: ${remedy}`);
    }
    await using pool = await openOrMake(config);
    const outcome = await pool.store.restore(content, { signal });
    if (outcome.kind === 'not-empty')
      throw new Failure(
        exitCodes.refused,
        'the pool is not new: import needs one that was never used; nothing was changed',
      );
    // The pool is restored, whatever becomes of this look at it.
    const usage = await pool.usage({ signal }).catch(() => null);
    await terminal.answer({ ...outcome, lines: source.line(), usage }, () => `restored: ${source.line()} lines`);
  } catch (error) {
    throw namingFile(error, file, source.line());
  } finally {
    input.destroy();
  }
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
      throw new Failure(exitCodes.failed, `this is no dump: ${error.message}; nothing was changed`);
    throw error;
  }
  if (rest !== '') yield rest;
}

/** An error of the dump names the line in the file, which has more lines than the dump. */
function namingFile(error: unknown, file: string | undefined, line: number): unknown {
  if (!isMempoolError(error, 'ERR_MEMPOOL_INVALID') || error.details.field?.startsWith('dump') !== true) return error;
  const where = file ?? 'standard input';
  return new Failure(exitCodes.failed, `${where}, line ${line}: ${error.message}; nothing was changed`);
}
