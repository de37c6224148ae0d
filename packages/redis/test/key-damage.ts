import type { Cluster, Redis } from 'ioredis';
import type { Damage } from 'mempool-conformance';

/** Changes bytes of one record of the pool whose keys begin so, which nobody has open. */
export async function damageKeys(client: Redis | Cluster, prefix: string, record: Damage): Promise<void> {
  const key = (name: string): string => `${prefix}:${name}`;
  switch (record.kind) {
    case 'payload':
      return alter(client, key('body'), Buffer.from(record.hash, 'hex'), otherLastByte);
    case 'entry':
      return alter(client, key('entries'), Buffer.from(record.hash, 'hex'), half);
    case 'state':
      return damageScore(client, key('idx'), Buffer.from(record.hash, 'hex'));
    case 'log':
      return alter(client, key('log'), String(record.logSeq), (bytes) => bytes.fill(0xee, 0, 1));
    case 'point':
      return alter(client, key('blocks'), String(record.tick), half);
    case 'event':
      return damageEvent(client, key('events'), record.eventSeq);
    case 'record':
      return alter(client, key('records'), record.name, half);
    case 'operation':
      return alter(client, key('ops'), record.operationId, half);
    case 'lease':
      return alter(client, key('watcher:lease'), 'token', half);
    case 'limit':
      return alter(client, key('meta'), 'limits', half);
    case 'meta':
      return alter(client, key('meta'), 'seq', () => Buffer.from('damaged'));
  }
}

async function alter(
  client: Redis | Cluster,
  key: string,
  field: string | Buffer,
  change: (bytes: Buffer) => Buffer,
): Promise<void> {
  const bytes = await client.hgetBuffer(key, field);
  if (bytes === null) throw new Error(`nothing to damage in ${key}`);
  await client.hset(key, field, change(bytes));
}

/** A score of a stage that does not exist. */
async function damageScore(client: Redis | Cluster, key: string, hash: Buffer): Promise<void> {
  const score = await client.zscore(key, hash);
  if (score === null) throw new Error(`nothing to damage in ${key}`);
  await client.zadd(key, 9e15 + (Number(score) % 1e6), hash);
}

/** Entries of a stream cannot be changed: it is made again. */
async function damageEvent(client: Redis | Cluster, key: string, eventSeq: number): Promise<void> {
  const entries = await client.xrangeBuffer(key, '-', '+');
  await client.unlink(key);
  for (const [id, [name, packed, ...more]] of entries) {
    if (name === undefined || packed === undefined) throw new Error(`an entry of ${key} has no events`);
    const isMeant = Number.parseInt(String(id), 10) === eventSeq;
    await client.xadd(key, id, name, isMeant ? half(packed) : packed, ...more);
  }
}

function otherLastByte(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 0xff)]);
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}
