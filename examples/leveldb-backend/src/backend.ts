import { randomUUID } from 'node:crypto';
import { type Backend, defaultRetention, MempoolError } from 'mempool-core';
import { type DriverOptions, defineBackend, formatVersion, invalid } from 'mempool-core/backend';
import { Batch, Database } from './database.ts';
import { levelDriver } from './driver.ts';
import { levelError } from './level-error.ts';
import { decodeState, encodeState, type PoolState } from './record.ts';

export interface LevelOptions {
  /** The database's folder. It is created if it is missing. */
  readonly path: string;
  /** Whether each write waits for the disk; default true. With false, a power cut may undo the last writes; a kill undoes none. */
  readonly sync?: boolean | undefined;
}

type Options = DriverOptions & LevelOptions;

/** A pool in a LevelDB database, for one process at a time. Answered calls survive a power cut. */
export const leveldb: Backend<LevelOptions> = defineBackend<LevelOptions>({
  name: 'leveldb',
  capabilities: { durable: true, shared: false, lease: false, priority: false, records: true, import: false },
  async open(options) {
    const { path, sync = true } = options;
    if (typeof path !== 'string' || path === '' || path.includes('\0')) throw invalid('path', 'the name of a folder');
    if (typeof sync !== 'boolean') throw invalid('sync', 'true or false');
    const database = await openDatabase(path, sync);
    try {
      return levelDriver(database, await openPool(database, options), options);
    } catch (error) {
      await database.close();
      throw levelError(error, 'ERR_MEMPOOL_INTERNAL');
    }
  },
});

async function openDatabase(path: string, sync: boolean): Promise<Database> {
  try {
    return await Database.open(path, sync);
  } catch (error) {
    throw levelError(error, 'ERR_MEMPOOL_UNAVAILABLE');
  }
}

/** The latest open that names how much is kept sets it, for good. */
async function openPool(database: Database, options: Options): Promise<PoolState> {
  const stored = await storedState(database, options);
  const state = { ...stored, retention: { ...stored.retention, ...options.retention } };
  const batch = new Batch();
  batch.put('meta', 'pool', encodeState(state));
  await database.write(batch);
  return state;
}

/** N2: another program's database, another pool's or a later version's is refused and left as it is. */
async function storedState(database: Database, options: Options): Promise<PoolState> {
  const { path, pool } = options;
  const bytes = await database.latest.get('meta', 'pool');
  if (bytes === undefined) {
    if (!(await database.isEmpty())) throw incompatible('the database holds something else', path);
    return newState(pool);
  }
  const state = decodeState(bytes);
  if (state.format !== formatVersion) throw incompatible(`its format is ${state.format}, not ${formatVersion}`, path);
  if (state.name !== pool) throw incompatible(`the database holds the pool ${state.name}`, path);
  return state;
}

function newState(name: string): PoolState {
  const counts = { pending: 0, propagated: 0, acknowledged: 0, confirmed: 0, operations: 0 };
  const numbers = { lastSeq: 0, lastEventSeq: 0, lastAt: 0, oldestEventSeq: 1, lastLogSeq: 0, oldestLogSeq: 1 };
  const records = { lastVersion: 0, recordBytes: 0 };
  const chain = { tip: null, tick: 0, floor: 1 };
  const epoch = randomUUID();
  return {
    format: formatVersion,
    name,
    epoch,
    retention: defaultRetention,
    ...chain,
    ...numbers,
    ...counts,
    ...records,
  };
}

function incompatible(why: string, path: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INCOMPATIBLE', `${why}: ${path}`, { key: path });
}
