import { Redis } from 'ioredis';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

interface OriginalRecord {
  readonly stage: 'Propagated' | 'Confirmed';
  readonly confirmations: number;
  readonly nonConfirmations: number;
  readonly payload: string;
}

const payloadSeconds = 24 * 3_600;

/** The commands that the original design sends, in its order and each awaited; the client with its defaults. */
async function open({ url, name }: PeerPlace): Promise<PeerStore> {
  const redis = new Redis(url, { protocol: 2 });
  redis.on('error', () => undefined);
  await redis.ping();
  const [pending, inflight] = [`${name}:pending`, `${name}:inflight`];
  const payloadKey = (hash: string): string => `${name}:payload:${hash}`;
  const write = (hash: string, record: OriginalRecord) => redis.hset(inflight, hash, JSON.stringify(record));
  const records = async (): Promise<[string, OriginalRecord][]> =>
    Object.entries(await redis.hgetall(inflight)).map(([hash, text]) => [hash, JSON.parse(text)]);
  return {
    async add(transactions) {
      for (const { hash, payload } of transactions) {
        if ((await redis.lpos(pending, hash)) !== null) continue;
        if ((await redis.hget(inflight, hash)) !== null) continue;
        await redis.rpush(pending, hash);
        await redis.set(payloadKey(hash), Buffer.from(payload), 'EX', payloadSeconds);
      }
    },
    async take(hashes) {
      const taken: string[] = [];
      for (const hash of hashes) {
        const payload = (await redis.getBuffer(payloadKey(hash)))?.toString('base64');
        if (payload === undefined) continue;
        await write(hash, { stage: 'Propagated', confirmations: 0, nonConfirmations: 0, payload });
        await redis.lrem(pending, 1, hash);
        taken.push(hash);
      }
      return taken;
    },
    /** A block: every record in flight is read and written back, older by one or confirmed. */
    async confirm(hashes) {
      const seen = new Set(hashes);
      for (const [hash, record] of await records()) {
        const { confirmations, nonConfirmations } = record;
        if (seen.has(hash) || record.stage === 'Confirmed')
          await write(hash, { ...record, stage: 'Confirmed', confirmations: confirmations + 1 });
        else await write(hash, { ...record, nonConfirmations: nonConfirmations + 1 });
      }
    },
    async census() {
      const all = await records();
      const of = (stage: OriginalRecord['stage']) => all.flatMap(([hash, one]) => (one.stage === stage ? [hash] : []));
      return { waiting: await redis.lrange(pending, 0, -1), inflight: of('Propagated'), done: of('Confirmed') };
    },
    close: async () => redis.disconnect(),
  };
}

export const original: Peer = {
  name: "the original design's commands",
  package: null,
  lacks:
    'no step is atomic; a repeated command doubles; a payload is gone after 24 hours; a block rewrites every record',
  open,
};
