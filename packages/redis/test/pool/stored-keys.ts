import type { Redis } from 'ioredis';

/** Commands that write the keys of a pool: the command, the key's name without its prefix, then arguments in base64. */
export type StoredKeys = readonly (readonly [command: string, key: string, ...args: string[]])[];

/** Not as DUMP writes them: an older server would refuse that. */
export async function dumpKeys(client: Redis, prefix: string): Promise<StoredKeys> {
  const names = (await client.keys(`{${prefix}}:*`)).sort();
  const commands = await Promise.all(names.map((name) => dumpKey(client, name)));
  return commands.flat().map(([command, name, ...args]) => {
    const key = String(name).slice(prefix.length + 3);
    return [String(command), key, ...args.map((arg) => Buffer.from(arg).toString('base64'))] as const;
  });
}

type Command = readonly (Buffer | string)[];

async function dumpKey(client: Redis, name: string): Promise<Command[]> {
  switch (await client.type(name)) {
    case 'hash':
      return [['HSET', name, ...((await client.callBuffer('HGETALL', name)) as Buffer[])]];
    case 'zset': {
      const pairs = await client.zrangeBuffer(name, '0', '-1', 'WITHSCORES');
      return [['ZADD', name, ...pairs.map((_, i) => pairs[i ^ 1] as Buffer)]];
    }
    default: {
      const entries = await client.xrangeBuffer(name, '-', '+');
      return entries.map(([id, fields]) => ['XADD', name, id, ...fields]);
    }
  }
}

export async function restoreKeys(client: Redis, prefix: string, stored: StoredKeys): Promise<void> {
  for (const [command, key, ...args] of stored)
    await client.call(command, `{${prefix}}:${key}`, ...args.map((arg) => Buffer.from(arg, 'base64')));
}
