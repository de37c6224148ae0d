import { randomBytes } from 'node:crypto';
import { defaultLimits, defaultRetention } from 'mempool-core';
import { type DriverOptions, encodeLimits, type StoreDriver } from 'mempool-core/backend';
import { Connection } from './connection/connection.ts';
import { refuseMode, tryCommands } from './connection/inspect.ts';
import { type RedisOptions, taggedPrefix } from './connection/options.ts';
import { unlessImporting } from './connection/refusal.ts';
import { keysOf, priorityKeysOf } from './connection/script.ts';
import { FifoStore } from './fifo/store.ts';
import { limitArgument } from './pool/fifo-limits.ts';
import { openPriority } from './priority/store.ts';

type Options = DriverOptions & RedisOptions;

const retentionFields = ['maxFinalized', 'maxEvents', 'maxRollback'] as const;

/** Connects, tries every command that the scripts use, creates the pool if there is none, and warns of settings that may lose data. */
export async function openRedis(options: Options): Promise<StoreDriver> {
  const prefix = taggedPrefix(options.keyPrefix ?? options.pool);
  const connection = new Connection(options);
  const isPriority = options.ordering === 'priority';
  const keys = [...keysOf(prefix, 'both'), ...(isPriority ? priorityKeysOf(prefix) : [])];
  const createPool = (timeoutMs: number) => connection.runOnce('open', keys, poolArguments(options), timeoutMs);
  try {
    if (options.cluster === undefined) await refuseMode(connection, options);
    const probed = [`${prefix}:probe`, `${prefix}:probe:old`];
    await tryCommands(() => connection.run('probe', probed, isPriority ? ['HSCAN'] : []));
    await connection.probeWait();
    await connection.run('open', keys, poolArguments(options));
    if (!isPriority) await unlessImporting(connection.run('usage', keysOf(prefix, 'ops'), []));
    await warn(connection, options);
    const node = { connection, prefix, options, createPool };
    return isPriority ? await openPriority(node) : new FifoStore(node);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The arguments of lua/pool/open.lua: the epoch for a new pool, and the retention that this open names. */
function poolArguments({ pool, retention, ordering, limits }: Options): (string | number)[] {
  const epoch = randomBytes(12).toString('base64url');
  const wanted = retentionFields.map((field) => retention[field] ?? '');
  const names = [pool, epoch, ...wanted, ...retentionFields.map((field) => defaultRetention[field])];
  if (ordering === 'fifo') return [...names, limitArgument(limits)];
  return [...names, encodeLimits({ ...defaultLimits, ...limits }), epoch];
}

const leastVersion = [6, 2] as const;

/** Returns the version in an answer of INFO if it is older than the oldest tested one; else `null`. */
export function tooOld(info: string): string | null {
  const [, version = '', major, minor] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  const isOld =
    Number(major) < leastVersion[0] || (Number(major) === leastVersion[0] && Number(minor) < leastVersion[1]);
  return isOld ? version : null;
}

/** Logs facts for an operator that no verb reports. A server may forbid the commands. */
async function warn(connection: Connection, options: Options): Promise<void> {
  const { log, timeoutMs, minReplicas = 0 } = options;
  const ask = (command: string, subject: string): Promise<string> =>
    connection.send(command, [subject], timeoutMs).then(String, () => '');
  const policy = /^maxmemory_policy:(\S+)/m.exec(await ask('INFO', 'memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log('warn', `maxmemory-policy ${policy}: a full server may evict transactions; set noeviction`, { policy });
  if (/^aof_enabled:0/m.test(await ask('INFO', 'persistence')))
    log('warn', 'appendonly is off: a restart of the server may lose transactions', { appendonly: 'no' });
  const version = tooOld(await ask('INFO', 'server'));
  if (version !== null)
    log('warn', `Redis ${version} is older than ${leastVersion.join('.')}, the least that is tested`, { version });
  const replicas = Number(/^connected_slaves:(\d+)/m.exec(await ask('INFO', 'replication'))?.[1] ?? minReplicas);
  if (replicas < minReplicas)
    log('warn', `the master has ${replicas} replicas, and minReplicas is ${minReplicas}: every write will fail`, {
      replicas,
    });
}
