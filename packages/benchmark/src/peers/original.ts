import { Redis } from 'ioredis';
import type { Transaction } from 'mempool-core';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

interface OriginalRecord {
  readonly stage: 'Propagated' | 'Confirmed';
  readonly confirmations: number;
  readonly nonConfirmations: number;
  readonly payload: string;
}

const payloadSeconds = 24 * 3_600;

/** The commands that the original design sends, in its order and each awaited; the client as it comes. */
class OriginalStore implements PeerStore {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #pending: string;
  readonly #inflight: string;

  constructor({ url, name }: PeerPlace) {
    this.#redis = new Redis(url, { protocol: 2 });
    this.#redis.on('error', () => undefined);
    this.#name = name;
    this.#pending = `${name}:pending`;
    this.#inflight = `${name}:inflight`;
  }

  async ready(): Promise<this> {
    await this.#redis.ping();
    return this;
  }

  async add(transactions: readonly Transaction[]): Promise<void> {
    for (const { hash, payload } of transactions) {
      if ((await this.#redis.lpos(this.#pending, hash)) !== null) continue;
      if ((await this.#redis.hget(this.#inflight, hash)) !== null) continue;
      await this.#redis.rpush(this.#pending, hash);
      await this.#redis.set(this.#payload(hash), Buffer.from(payload), 'EX', payloadSeconds);
    }
  }

  async take(hashes: readonly string[]): Promise<string[]> {
    const taken: string[] = [];
    for (const hash of hashes) {
      const payload = await this.#redis.getBuffer(this.#payload(hash));
      if (payload === null) continue;
      await this.#write(hash, {
        stage: 'Propagated',
        confirmations: 0,
        nonConfirmations: 0,
        payload: payload.toString('base64'),
      });
      await this.#redis.lrem(this.#pending, 1, hash);
      taken.push(hash);
    }
    return taken;
  }

  /** A block: every record in flight is read and written back, older by one or confirmed. */
  async confirm(hashes: readonly string[]): Promise<void> {
    const seen = new Set(hashes);
    for (const [hash, text] of Object.entries(await this.#redis.hgetall(this.#inflight))) {
      const record = JSON.parse(text) as OriginalRecord;
      const { confirmations, nonConfirmations } = record;
      if (seen.has(hash) || record.stage === 'Confirmed')
        await this.#write(hash, { ...record, stage: 'Confirmed', confirmations: confirmations + 1 });
      else await this.#write(hash, { ...record, nonConfirmations: nonConfirmations + 1 });
    }
  }

  async census(): Promise<{ waiting: string[]; inflight: string[]; done: string[] }> {
    const records = Object.entries(await this.#redis.hgetall(this.#inflight));
    const confirmed = ([, text]: [string, string]): boolean =>
      (JSON.parse(text) as OriginalRecord).stage === 'Confirmed';
    const names = (of: [string, string][]): string[] => of.map(([hash]) => hash);
    return {
      waiting: await this.#redis.lrange(this.#pending, 0, -1),
      inflight: names(records.filter((record) => !confirmed(record))),
      done: names(records.filter(confirmed)),
    };
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  #payload(hash: string): string {
    return `${this.#name}:payload:${hash}`;
  }

  async #write(hash: string, record: OriginalRecord): Promise<void> {
    await this.#redis.hset(this.#inflight, hash, JSON.stringify(record));
  }
}

export const original: Peer = {
  name: "the original design's commands",
  package: null,
  lacks:
    'no step is atomic; a repeated command doubles; a payload is gone after 24 hours; a block rewrites every record',
  open: (place) => new OriginalStore(place).ready(),
};
