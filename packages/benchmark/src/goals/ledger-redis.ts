import { createHash, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import { loadLedger } from '../setup/subject.ts';
import { usedMemory } from './footprint.ts';
import { byCallers, callers, FilledLedger, few, flatness, pairOf, walletName } from './ledger-load.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

export async function redisLedgerGoals({ subject: backend }: BenchBackend, context: BenchContext): Promise<Measure[]> {
  if (context.redis === null) throw new Error(noServer);
  const { client } = context.redis;
  const subject = await loadLedger('redis');
  const many = atMost(context, 100_000);
  const sizes = `${many.toLocaleString('en')} ÷ ${few.toLocaleString('en')}`;
  const flat = head(backend, `ledger: a transfer with ${sizes} wallets and transfers`, ['at most', 1.5], '×', 9);
  const bytes = 'ledger: memory per transfer, its record and histories';
  /** A ledger of its own with many wallets, beside the bare limit, in turn. */
  const beside = (limitName: string, least: number, count: number, limit: Limit): Measure => {
    const ledger = new FilledLedger(subject);
    return {
      ...head(backend, `ledger: ${limitName} ÷ transfers of ${callers} callers`, ['at least', least], '×', 7),
      prepare: () => ledger.fill(),
      sample: (round) =>
        inTurn(
          round,
          () => limit(client, count),
          () => ledger.transfersMs(count),
        ),
      end: () => ledger.close(),
    };
  };
  const measures: Measure[] = [
    beside('a bare script of the same keys and bytes', 0.5, 6_400, bareTransfers),
    beside("the original's commands with its lock", 30, 320, originalTransfers),
    flatness(flat, subject, many, 6_400),
    {
      ...head(backend, bytes, ['at most', 600], 'bytes', 1),
      sample: () => bytesEach(client, new FilledLedger(subject), atMost(context, 50_000)),
    },
  ];
  return measures.map((measure) => onEmptied(client, measure));
}

type Limit = (redis: Redis, count: number) => Promise<number>;

/** The measure on a server that is emptied before it. */
function onEmptied(redis: Redis, { prepare, ...measure }: Measure): Measure {
  return {
    ...measure,
    async prepare() {
      await redis.flushdb('SYNC');
      await prepare?.();
    },
  };
}

async function bytesEach(redis: Redis, ledger: FilledLedger, count: number): Promise<number> {
  await ledger.fill();
  const before = await usedMemory(redis);
  await ledger.transfersMs(count);
  const bytes = ((await usedMemory(redis)) - before) / count;
  await ledger.close();
  return bytes;
}

/** Reads and writes what a ledger's script does for as many transfers, and asks nothing. */
const bareScript = `
local ids, wallets, chunks, log, meta = unpack(KEYS)
local names, moved, parts = {}, {}, {}
for at = 2, #ARGV, 7 do
  names[#names + 1] = ARGV[at]
  for i = 0, 1 do
    moved[#moved + 1], moved[#moved + 2] = ARGV[at + 1 + i], ARGV[at + 4]
    parts[#parts + 1], parts[#parts + 2] = ARGV[at + 1 + i] .. ':0', ARGV[at + 5]
  end
end
redis.call('HMGET', meta, 'format', 'seq', 'at', 'digest', 'first', 'before', 'ids', 'wallets')
redis.call('HMGET', ids, unpack(names))
redis.call('HMGET', wallets, unpack(moved))
redis.call('HMGET', chunks, unpack(parts))
local known, seq = {}, tonumber(ARGV[1])
for at = 2, #ARGV, 7 do
  seq = seq + 1
  known[#known + 1], known[#known + 2] = ARGV[at], 'd' .. seq
  redis.call('XADD', log, seq .. '-0', 'at', '1700000000000', 'type', 'transfer', 'id', ARGV[at], 'content', ARGV[at + 3],
    'result', 'created', 'digest', ARGV[at + 6])
end
redis.call('HSET', ids, unpack(known))
redis.call('HSET', wallets, unpack(moved))
redis.call('HSET', chunks, unpack(parts))
redis.call('HSET', meta, 'seq', seq, 'at', '1700000000000', 'digest', ARGV[8], 'ids', seq)
return known`;
const bareSha = createHash('sha1').update(bareScript).digest('hex');

/** Milliseconds of bare scripts that write as much as the transfers, with as many in each as there are callers. */
async function bareTransfers(redis: Redis, count: number): Promise<number> {
  await redis.script('LOAD', bareScript);
  const name = `bare-${randomUUID()}`;
  const keys = ['ids', 'wallets', 'chunks', 'log', 'meta'].map((key) => `{${name}}:${key}`);
  const [balance, chunk] = [Buffer.alloc(54, 1), Buffer.alloc(192, 1)];
  return timed(async () => {
    for (let seq = 0; seq < count; seq += callers) {
      const args: (string | Buffer)[] = [String(seq)];
      for (let n = 0; n < callers; n += 1) {
        const [source, destination] = pairOf(seq + n, few).map(walletName) as [string, string];
        const content = JSON.stringify(['transfer', source, destination, '1', 'COIN', '', [], null, null]);
        args.push(randomUUID(), source, destination, content, balance, chunk, 'd'.repeat(40));
      }
      await redis.evalsha(bareSha, keys.length, ...keys, ...args);
    }
  });
}

/**
 * Milliseconds of transfers as the original makes them: one lock for all wallets, asked for again at once; both wallets read and
 * written; a history of each; the lock given back.
 */
async function originalTransfers(redis: Redis, count: number): Promise<number> {
  const name = `original-${randomUUID()}`;
  const [lock, wallet] = [`${name}:lock`, (n: number) => `${name}:${walletName(n)}`];
  for (let n = 0; n < few; n += 1) await redis.set(wallet(n), JSON.stringify({ id: walletName(n), amount: 1_000_000 }));
  let n = 0;
  return byCallers(count, async () => {
    n += 1;
    const [source, destination] = pairOf(n, few).map(wallet) as [string, string];
    const id = randomUUID();
    while ((await redis.set(lock, id, 'EX', 60, 'NX')) === null);
    const [from, to] = [await redis.get(source), await redis.get(destination)].map((text) => JSON.parse(text ?? '{}'));
    await redis.set(source, JSON.stringify({ ...from, amount: from.amount - 1 }));
    await redis.set(destination, JSON.stringify({ ...to, amount: to.amount + 1 }));
    await redis.lpush(`${source}:history`, JSON.stringify({ id, amount: -1 }));
    await redis.lpush(`${destination}:history`, JSON.stringify({ id, amount: 1 }));
    await redis.del(lock);
  });
}
