import { type DriverOptions, isMempoolError } from 'mempool-core';
import type { Connection } from './connection.ts';
import { taggedPrefix } from './options.ts';
import { asNumber, asText } from './reply.ts';

/** The keys of the design that this one follows; beside them it had `payload:<hash>`. */
const originalNames = ['pending', 'inflight', 'finalized', 'seq', 'watcher:lock'];

/** Says through `log` what an operator should know and no verb will tell. A server that forbids the question is not asked. */
export async function warn(connection: Connection, prefix: string, options: DriverOptions): Promise<void> {
  const ask = async (name: string, ...args: string[]) => {
    try {
      return await connection.command(name, args, options.timeoutMs);
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
      return null;
    }
  };
  const info = async (section: string) => {
    const answer = await ask('INFO', section);
    return answer === null ? '' : asText(answer);
  };
  const policy = /^maxmemory_policy:(\S+)/m.exec(await info('memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    options.log('warn', `maxmemory-policy is ${policy}: a full server may evict transactions; set noeviction`, {
      policy,
    });
  if (/^aof_enabled:0/m.test(await info('persistence')))
    options.log('warn', 'appendonly is off: a restart of the server may lose transactions', { appendonly: 'no' });
  for (const key of originalKeys(prefix)) {
    const there = await ask('EXISTS', key);
    if (there !== null && asNumber(there) > 0)
      options.log('warn', `${key} belongs to the original design; it is not read here (redis-cli --type, see README)`, {
        key,
      });
  }
}

function originalKeys(prefix: string): string[] {
  const prefixes = new Set([prefix, taggedPrefix(prefix)]);
  return [...prefixes].flatMap((before) => originalNames.map((name) => `${before}:${name}`));
}
