import { randomUUID } from 'node:crypto';
import { type Backend, defaultRetention, MempoolError } from 'mempool-core';
import {
  type DriverOptions,
  defineBackend,
  formatVersion,
  invalid,
  MemoryPool,
  memoryDriver,
  PriorityPool,
  priorityMemoryDriver,
  type Step,
  type StoreDriver,
} from 'mempool-core/backend';
import { decodeContent, encodeContent, type HeadEntry } from './entry.ts';
import { fileError } from './file-error.ts';
import { Journal, readJournal } from './journal.ts';
import { Lock } from './lock.ts';
import { inOrderOfArrival, PoolFile } from './pool-file.ts';

export interface JournalOptions {
  /** The pool's file. It is created if it is missing; its directory must exist. */
  readonly path: string;
}

type Options = DriverOptions & JournalOptions;

/** A pool in a plain file, for one process at a time. Answered calls survive a power cut. */
export const journal: Backend<JournalOptions> = defineBackend<JournalOptions>({
  name: 'journal',
  capabilities: { durable: true, shared: false, lease: false, priority: true, records: true, import: false },
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
  const { contents, end, tornBytes } = readJournal(path, () => [encodeContent(newHead(options))]);
  const head = headOf(contents.shift(), options);
  const journal = new Journal(path, end);
  held.push(() => journal.close());
  journal.cut();
  if (tornBytes > 0)
    log('warn', 'the last call was never finished: what there is of it was cut off', { path, tornBytes });
  const file = { head, contents, journal };
  const close = () => release(held);
  return options.ordering === 'priority' ? byPriority(file, options, close) : byArrival(file, options, close);
}

interface OpenJournal {
  readonly head: HeadEntry;
  readonly contents: readonly Uint8Array[];
  readonly journal: Journal;
}

/** All verbs are core's: what is written here is that a step is kept before the pool takes it. */
function byArrival({ head, contents, journal }: OpenJournal, options: Options, close: () => void): StoreDriver {
  const memory = new MemoryPool(head.epoch, head.retention);
  const file = new PoolFile(head, contents, journal, { ...options, pool: inOrderOfArrival(memory) });
  const commit = (step: Step<unknown>): void => {
    file.keep(step);
    memory.apply(step);
  };
  return memoryDriver({ memory, options, commit, close });
}

function byPriority({ head, contents, journal }: OpenJournal, options: Options, close: () => void): StoreDriver {
  const pool = new PriorityPool({ ...head, limits: {} });
  const file = new PoolFile(head, contents, journal, { ...options, pool });
  file.keepLimits(options.limits);
  pool.restored();
  return priorityMemoryDriver({ pool, options, commit: (step) => file.keep(step), close });
}

function release(held: (() => void)[]): void {
  for (const giveBack of held.reverse()) giveBack();
}

function newHead({ pool, ordering, retention }: DriverOptions): HeadEntry {
  const limits = { ...defaultRetention, ...retention };
  return { kind: 'pool', format: formatVersion, name: pool, epoch: randomUUID(), ordering, retention: limits };
}

/** N2: another pool's file, or another version's, is refused. */
function headOf(content: Uint8Array | undefined, { pool, path, ordering }: Options): HeadEntry {
  const entry = content && decodeContent(content);
  if (entry?.kind !== 'pool') throw new MempoolError('ERR_MEMPOOL_CORRUPT', `the journal has lost its head: ${path}`);
  if (entry.format !== formatVersion) throw incompatible(`its format is ${entry.format}, not ${formatVersion}`, path);
  if (entry.name !== pool) throw incompatible(`the file holds the pool ${entry.name}`, path);
  if (entry.ordering !== ordering) throw incompatible(`the pool's ordering is ${entry.ordering}`, path);
  return entry;
}

function incompatible(why: string, path: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}
