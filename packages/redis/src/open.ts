import { randomBytes } from 'node:crypto';
import { defaultLimits, defaultRetention, isMempoolError, MempoolError } from 'mempool-core';
import { type DriverOptions, encodeLimits, retryUntil, type StoreDriver } from 'mempool-core/backend';
import { Connection } from './connection/connection.ts';
import { type RedisOptions, taggedPrefix } from './connection/options.ts';
import { refusal, unsupportedMode } from './connection/refusal.ts';
import { keysOf, priorityKeysOf } from './connection/script.ts';
import { FifoStore } from './fifo/store.ts';
import { numberText } from './pool/pool-reader.ts';
import { openPriority } from './priority/store.ts';

type Options = DriverOptions & RedisOptions;

/** Key names of the original design, which this one replaces. It also had `payload:<hash>`. */
const originalNames = ['pending', 'inflight', 'finalized', 'seq', 'watcher:lock'];
const retentionFields = ['maxFinalized', 'maxEvents', 'maxRollback'] as const;

/** Connects, tries every command that the scripts use, creates the pool if there is none, and warns of settings that may lose data. */
export async function openRedis(options: Options): Promise<StoreDriver> {
  const prefix = taggedPrefix(options.keyPrefix ?? options.pool);
  const connection = new Connection(options);
  const isPriority = options.ordering === 'priority';
  const keys = [...keysOf(prefix, 'both'), ...(isPriority ? priorityKeysOf(prefix) : [])];
  const createPool = (timeoutMs: number) => connection.runOnce('open', keys, poolArguments(options), timeoutMs);
  try {
    await refuseMode(connection, options);
    await probe(connection, prefix, isPriority ? ['HSCAN'] : []);
    await connection.run('open', keys, poolArguments(options));
    if (!isPriority) await connection.run('usage', keysOf(prefix, 'ops'), []);
    await warn(connection, options);
    const node = { connection, prefix, options, createPool };
    return isPriority ? await openPriority(node) : new FifoStore(node);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Refuses Redis Cluster and Sentinel, whose own errors would not say why. A server may forbid the command INFO. */
async function refuseMode(connection: Connection, { timeoutMs, clock }: Options): Promise<void> {
  const ask = (remainingMs: number) => connection.send('INFO', ['server'], remainingMs).then(String);
  const info = await retryUntil({ timeoutMs, clock, signal: undefined }, ask).catch((error: unknown) => {
    if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    return '';
  });
  const wrong = unsupportedMode(info);
  if (wrong !== null) throw new MempoolError('ERR_MEMPOOL_UNSUPPORTED', wrong);
}

/** Tries the commands of the scripts. `more`: commands beside those that every pool needs. */
async function probe(connection: Connection, prefix: string, more: readonly string[]): Promise<void> {
  const keys = [`${prefix}:probe`, `${prefix}:probe:old`];
  // Twice: the first call is an EVAL, the second an EVALSHA.
  await connection.run('probe', keys, more);
  const answer = await connection.run('probe', keys, more);
  if (!Array.isArray(answer)) return;
  const [command, words] = answer.map(String) as [string, string];
  const error = refusal(new Error(words), command);
  const code = isMempoolError(error) ? error.code : 'ERR_MEMPOOL_INCOMPATIBLE';
  const needed = code === 'ERR_MEMPOOL_INCOMPATIBLE' ? 'Redis 6.2 or later is needed: ' : '';
  throw new MempoolError(code, `${needed}the server refuses ${command}: ${words}`, { command });
}

/** The arguments of lua/pool/open.lua: the epoch for a new pool, and the retention that this open names. */
function poolArguments({ pool, retention, ordering, limits }: Options): (string | number)[] {
  const epoch = randomBytes(12).toString('base64url');
  const wanted = retentionFields.map((field) => retention[field] ?? '');
  const names = [pool, epoch, ...wanted, ...retentionFields.map((field) => defaultRetention[field])];
  if (ordering === 'fifo') return [...names, limits.maxTxs === undefined ? '' : numberText(limits.maxTxs)];
  return [...names, encodeLimits({ ...defaultLimits, ...limits }), epoch];
}

/** Logs what an operator should know and no verb reports. A server may forbid the commands. */
async function warn(connection: Connection, { log, timeoutMs, keyPrefix, pool }: Options): Promise<void> {
  const ask = (command: string, subject: string): Promise<string> =>
    connection.send(command, [subject], timeoutMs).then(String, () => '');
  const policy = /^maxmemory_policy:(\S+)/m.exec(await ask('INFO', 'memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log('warn', `maxmemory-policy ${policy}: a full server may evict transactions; set noeviction`, { policy });
  if (/^aof_enabled:0/m.test(await ask('INFO', 'persistence')))
    log('warn', 'appendonly is off: a restart of the server may lose transactions', { appendonly: 'no' });
  const prefix = keyPrefix ?? pool;
  const there = async (key: string): Promise<boolean> => Number(await ask('EXISTS', key)) > 0;
  for (const before of new Set([prefix, taggedPrefix(prefix)]))
    for (const name of originalNames) {
      const key = `${before}:${name}`;
      // The election's lock has the same name, but there is a lease beside it.
      if (!(await there(key)) || (name === 'watcher:lock' && (await there(`${before}:watcher:lease`)))) continue;
      log('warn', `${key} is of the original design, and not read here; see redis-cli in the README`, { key });
    }
}
