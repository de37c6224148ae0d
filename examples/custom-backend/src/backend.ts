import { randomUUID } from 'node:crypto';
import {
  type Backend,
  type DriverOptions,
  defaultRetention,
  defineBackend,
  formatVersion,
  invalid,
  ledgerDriver,
  MempoolError,
  type Step,
  type StoreDriver,
} from 'mempool-core';
import { decodeEntry, encodeEntry, type PoolEntry } from './entry.ts';
import { fileError } from './file-error.ts';
import { Journal, readJournal } from './journal.ts';
import { Lock } from './lock.ts';
import { PoolFile } from './pool-file.ts';

export interface JournalOptions {
  /** The pool's file; made where it is missing, in a directory that exists. */
  readonly path: string;
}

type Options = DriverOptions & JournalOptions;

/** A pool in a plain file, for one process at a time: what was answered survives a power cut. */
export const journal: Backend<JournalOptions> = defineBackend<JournalOptions>({
  name: 'journal',
  capabilities: { durable: true, shared: false, lease: false, priority: false },
  open(options) {
    const { path } = options;
    if (typeof path !== 'string' || path === '' || path.includes('\0')) throw invalid('path', 'the name of a file');
    const held: (() => void)[] = [];
    try {
      return openPool(options, held);
    } catch (error) {
      release(held);
      throw fileError(error, path);
    }
  },
});

/** `held` gets what must be given back, whatever happens. */
function openPool(options: Options, held: (() => void)[]): StoreDriver {
  const { path, log } = options;
  const lock = new Lock(path);
  held.push(() => lock.release());
  const { contents, end, tornBytes } = readJournal(path, () => [encodeEntry(newPool(options))]);
  const pool = poolOf(contents.shift(), options);
  const journal = new Journal(path, end);
  held.push(() => journal.close());
  journal.cut();
  if (tornBytes > 0)
    log('warn', 'the last call was never finished: what there is of it was cut off', { path, tornBytes });
  const file = new PoolFile(pool, contents, journal, options);
  const commit = (step: Step<unknown>) => file.commit(step);
  return ledgerDriver({ ledger: file.ledger, options, commit, close: () => release(held) });
}

function release(held: (() => void)[]): void {
  for (const giveBack of held.reverse()) giveBack();
}

function newPool({ pool, retention }: DriverOptions): PoolEntry {
  const limits = { ...defaultRetention, ...retention };
  return { kind: 'pool', format: formatVersion, name: pool, epoch: randomUUID(), retention: limits };
}

/** N2: another pool's file, or a later version's, is refused. */
function poolOf(content: Uint8Array | undefined, { pool, path }: Options): PoolEntry {
  const entry = content && decodeEntry(content);
  if (entry?.kind !== 'pool') throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the journal has lost its head: ${path}`);
  if (entry.format !== formatVersion) throw incompatible(`its format is ${entry.format}, not ${formatVersion}`, path);
  if (entry.name !== pool) throw incompatible(`the file holds the pool ${entry.name}`, path);
  return entry;
}

function incompatible(why: string, path: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}
