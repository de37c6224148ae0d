import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Peer, PeerPlace, PeerStore } from './peer.ts';

interface Job {
  readonly data: { readonly hash: string };
  setId(id: string): Job;
}
interface Queue {
  ready(): Promise<unknown>;
  createJob(data: object): Job;
  /** @returns the jobs that were not saved */
  saveAll(jobs: readonly Job[]): Promise<Map<Job, Error>>;
  process(concurrency: number, handler: (job: Job) => Promise<unknown>): void;
  getJobs(state: string, page: object): Promise<Job[]>;
  on(event: 'succeeded' | 'error', listener: (subject: Job & Error) => void): unknown;
  close(timeoutMs: number): Promise<unknown>;
}
type QueueClass = new (name: string, settings: object) => Queue;

const handlers = 64;

async function open({ folder, url, name }: PeerPlace): Promise<PeerStore> {
  const Queue = createRequire(join(folder, 'package.json'))('bee-queue') as QueueClass;
  const queue = new Queue(name, { getEvents: false, storeJobs: false, redis: { url } });
  const held = new Map<string, () => void>();
  const settled = new Map<string, () => void>();
  queue.on('error', () => undefined);
  queue.on('succeeded', ({ data }) => settled.get(data.hash)?.());
  await queue.ready();
  const succeeded = (hash: string): Promise<void> => new Promise((done) => settled.set(hash, done));
  const of = async (state: string): Promise<string[]> =>
    (await queue.getJobs(state, { start: 0, end: -1, size: 1_000_000 })).map(({ data }) => data.hash);
  return {
    async add(transactions) {
      const jobs = transactions.map(({ hash, payload }) =>
        queue.createJob({ hash, payload: Buffer.from(payload).toString('base64') }).setId(`h${hash}`),
      );
      for (const error of (await queue.saveAll(jobs)).values()) throw error;
    },
    // As many handlers as jobs asked for: each keeps its job until it is confirmed.
    take: (hashes) =>
      new Promise((resolve) => {
        queue.process(hashes.length, ({ data }) => {
          const confirmed = new Promise<void>((done) => held.set(data.hash, done));
          if (held.size === hashes.length) resolve([...held.keys()]);
          return confirmed;
        });
      }),
    async confirm(hashes) {
      const ends = hashes.map(succeeded);
      for (const hash of hashes) held.get(hash)?.();
      await Promise.all(ends);
    },
    async finish(hashes) {
      const ends = hashes.map(succeeded);
      queue.process(handlers, async () => undefined);
      await Promise.all(ends);
    },
    census: async () => ({ waiting: await of('waiting'), inflight: await of('active'), done: await of('succeeded') }),
    close: () => queue.close(1).catch(() => undefined),
  };
}

export const beeQueue: Peer = {
  name: 'bee-queue',
  package: 'bee-queue',
  lacks: 'a job whose reply is cut waits for a stall check or stops its worker; no blocks, roll-back or chain tip',
  open,
};
