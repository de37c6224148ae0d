import { createRequire } from 'node:module';
import { inLanes, type Peer, type PeerPlace, type PeerStore, peerFile } from './peer.ts';

interface Job {
  readonly data: { readonly hash: string };
  moveToCompleted(value: unknown, token: string, fetchNext: false): Promise<unknown>;
}
interface Queue {
  addBulk(jobs: readonly unknown[]): Promise<unknown>;
  getJobs(states: readonly string[], start: number, end: number): Promise<Job[]>;
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  close(): Promise<void>;
}
interface Worker extends Pick<Queue, 'waitUntilReady' | 'on'> {
  getNextJob(token: string, options: { readonly block: false }): Promise<Job | undefined>;
  close(force: boolean): Promise<void>;
}
interface Package {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (name: string, process: null, options: object) => Worker;
}

const token = 'benchmark';

/** The options of a job: an id of `h` and the hash makes a second job with the same hash a duplicate. */
type Naming = (hash: string) => { readonly jobId?: string };

async function open(place: PeerPlace, width: number, naming: Naming): Promise<PeerStore> {
  const { Queue, Worker } = createRequire(peerFile('bullmq/package.json'))('bullmq') as Package;
  const { hostname: host, port } = new URL(place.url);
  const connection = { host, port: Number(port) };
  const queue = new Queue(place.name, { connection });
  const worker = new Worker(place.name, null, { connection, autorun: false });
  // Without listeners a broken connection would end the process.
  for (const each of [queue, worker]) each.on('error', () => undefined);
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  const of = async (...states: string[]): Promise<string[]> =>
    (await queue.getJobs(states, 0, -1)).map(({ data }) => data.hash);
  // When it is ready, the queue writes about itself and waits for nobody: this comes after it on the same connection.
  await of('waiting');
  const held = new Map<string, Job>();
  const next = async (): Promise<string[]> => {
    const job = await worker.getNextJob(token, { block: false });
    if (job === undefined) return [];
    held.set(job.data.hash, job);
    return [job.data.hash];
  };
  return {
    add: (transactions) =>
      queue.addBulk(
        transactions.map(({ hash, payload }) => {
          const data = { hash, payload: Buffer.from(payload).toString('base64') };
          return { name: 'transaction', data, opts: naming(hash) };
        }),
      ),
    take: async (hashes) => (await inLanes(width, hashes, next)).flat(),
    confirm: (hashes) => inLanes(width, hashes, async (hash) => held.get(hash)?.moveToCompleted(null, token, false)),
    census: async () => ({
      waiting: await of('waiting'),
      inflight: await of('active'),
      done: await of('completed', 'failed'),
    }),
    close: () => Promise.all([worker.close(true), queue.close()]),
  };
}

const byHash: Naming = (hash) => ({ jobId: `h${hash}` });
const manner = (width: number): string => (width === 1 ? 'one at a time' : `${width} at once`);

/** Added in bulk, then `width` taken and completed at once, one by one each: there is no bulk verb for that. */
export function bullmq(width: number): Peer {
  return { name: `BullMQ, added in bulk and run ${manner(width)}`, open: (place) => open(place, width, byHash) };
}

/** Added by as many callers at once as `width`, too. */
export function bullmqByCallers(width: number): Peer {
  const openFor = async (place: PeerPlace): Promise<PeerStore> => {
    const store = await open(place, width, byHash);
    return { ...store, add: (transactions) => inLanes(width, transactions, (transaction) => store.add([transaction])) };
  };
  return { name: `BullMQ, all ${manner(width)}`, open: openFor };
}

/** Jobs named by BullMQ itself, as its documents do it first. */
export const bullmqOwnIds: Peer = {
  name: 'BullMQ, job ids of its own',
  open: (place) => open(place, 1, () => ({})),
};
