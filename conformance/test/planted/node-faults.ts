import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { posix } from 'node:path';
import type { MempoolEvent, MempoolStore, OpenOptions, ReceiveOutcome } from 'mempool-core';
import { type Fault, moment } from './fault.ts';

/** The nodes of a pool in this process, and the options of the first. */
const nodes = new Map<string, MempoolStore[]>();
const firstOptions = new Map<string, OpenOptions>();

/** Judges by what it read a moment ago. */
function judgingEarly(store: MempoolStore): Partial<MempoolStore> {
  const stages = async (hashes: readonly string[]) => {
    const stageOf = new Map((await store.checkStatus(hashes)).map(({ hash, stage }) => [hash, stage]));
    await moment();
    return stageOf;
  };
  return {
    async receive(transactions, options) {
      const stageOf = await stages(transactions.map(({ hash }) => hash));
      const { lastSeq } = await store.usage();
      const outcomes = await store.receive(transactions, options);
      return outcomes.map(
        (outcome, i): ReceiveOutcome =>
          outcome.kind === 'duplicate' && stageOf.get(outcome.hash) === 'Unknown'
            ? { kind: 'received', hash: outcome.hash, seq: lastSeq + i + 1, stage: 'Pending' }
            : outcome,
      );
    },
    async markInflight(hashes, options) {
      const stageOf = await stages(hashes);
      await store.markInflight(hashes, options);
      return [...new Set(hashes)].filter((hash) => stageOf.get(hash) === 'Pending');
    },
    async confirm(block, policy, options) {
      const before = await store.tip();
      await moment();
      const outcome = await store.confirm(block, policy, options);
      const fits = block.parent === undefined || before.point === null || block.parent === before.point.hash;
      if (outcome.kind === 'applied' || outcome.tip.tick === before.tick || !fits) return outcome;
      return { kind: 'applied', tip: outcome.tip, confirmed: 0, returned: 0, finalized: 0, dropped: 0 };
    },
  };
}

/** Hears of an event only when it writes itself. */
function deafToOthers(store: MempoolStore): Partial<MempoolStore> {
  let wake = Promise.withResolvers<void>();
  const loud = async <T>(writing: Promise<T>): Promise<T> => {
    const outcome = await writing;
    wake.resolve();
    wake = Promise.withResolvers();
    return outcome;
  };
  async function* onOwnWrites(stream: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      await wake.promise;
      const { done, value } = await events.next();
      if (done) return;
      yield value;
    }
  }
  return {
    receive: (...args) => loud(store.receive(...args)),
    markInflight: (...args) => loud(store.markInflight(...args)),
    confirm: (...args) => loud(store.confirm(...args)),
    subscribe: async (options) => onOwnWrites(await store.subscribe(options)),
  };
}

/** The eleventh event before the tenth. */
async function* swapped(stream: AsyncIterable<MempoolEvent>): AsyncGenerator<MempoolEvent> {
  let held: MempoolEvent | null = null;
  for await (const event of stream) {
    if (event.kind !== 'lagged' && event.eventSeq === 10) {
      held = event;
      continue;
    }
    yield event;
    if (held !== null) yield held;
    held = null;
  }
}

/** Writes under a lock file, taken away a moment later, and by nobody when its owner has died. */
function locking(store: MempoolStore, path: string): Partial<MempoolStore> {
  const lock = `${path}.lock`;
  const acquire = async (): Promise<void> => {
    for (;;) {
      const file = await open(lock, 'wx').catch(() => null);
      if (file !== null) return file.close();
      await moment();
    }
  };
  return {
    async receive(...args) {
      await acquire();
      try {
        return await store.receive(...args);
      } finally {
        // The pool, and its lock with it, may be gone by then.
        void moment().then(() => rm(lock, { force: true }));
      }
    },
  };
}

export const nodeFaults: readonly Fault[] = [
  {
    id: 'every-node-alone',
    kills: [
      'N1/read-at-once',
      'N1/late-node',
      'N1/killed-node',
      'N1/racing-verbs',
      'L6/own-thresholds',
      'E3/resume-on-another-node',
      'E4/every-node',
      'P16/same-order',
      'P16/read-at-once',
      'P16/late-node',
      'P16/another-process',
    ],
    hangs: ['E3/resume-on-another-node', 'E4/every-node'],
    path: (path) => `${path}-${randomUUID()}`,
  },
  {
    id: 'judges-by-an-earlier-read',
    kills: [
      'N1/racing-verbs',
      'N1/racing-processes',
      'L2/racing-nodes',
      'L3/racing-nodes',
      'X3/racing-nodes',
      'X3/racing-forks',
      'P16/racing-sources',
    ],
    plant: judgingEarly,
  },
  {
    id: 'reads-what-it-wrote-alone',
    kills: ['N1/read-at-once', 'N1/late-node'],
    plant(store) {
      const own = new Set<string>();
      return {
        receive(transactions, options) {
          for (const { hash } of transactions) own.add(hash);
          return store.receive(transactions, options);
        },
        async checkStatus(hashes) {
          const statuses = await store.checkStatus(hashes);
          return statuses.map((status) => (own.has(status.hash) ? status : { ...status, stage: 'Unknown' }));
        },
      };
    },
  },
  {
    id: 'closes-its-neighbours',
    kills: ['N1/close-one'],
    plant(store, { path }) {
      const all = nodes.get(path) ?? [];
      nodes.set(path, [...all, store]);
      return { close: async () => void (await Promise.all((nodes.get(path) ?? []).map((node) => node.close()))) };
    },
  },
  {
    id: 'thresholds-of-the-first-node',
    kills: ['L6/own-thresholds'],
    options(options, { path }) {
      const first = firstOptions.get(path) ?? options;
      firstOptions.set(path, first);
      return { ...options, ...first };
    },
  },
  {
    id: 'deaf-to-other-nodes',
    kills: [
      'E4/every-node',
      'E4/racing-nodes',
      'E4/to-another-process',
      'E4/from-another-process',
      'E3/resume-on-another-node',
    ],
    hangs: [
      'E4/every-node',
      'E4/racing-nodes',
      'E4/to-another-process',
      'E4/from-another-process',
      'E3/resume-on-another-node',
    ],
    plant: deafToOthers,
  },
  {
    id: 'events-out-of-order',
    kills: ['E4/racing-nodes', 'E4/from-another-process', 'P16/another-process'],
    plant: (store) => ({ subscribe: async (options) => swapped(await store.subscribe(options)) }),
  },
  {
    id: 'a-lock-left-behind',
    kills: ['N1/killed-node', 'P16/killed-node'],
    hangs: ['N1/killed-node', 'P16/killed-node'],
    plant: (store, { path }) => locking(store, path),
  },
];

export const poolFaults: readonly Fault[] = [
  {
    id: 'a-durable-pool-anew-at-every-open',
    kills: ['N3/second-open'],
    capabilities: { shared: false },
    path: (path) => `${path}-${randomUUID()}`,
  },
  {
    id: 'a-second-open-of-a-pool-that-is-not-shared',
    kills: ['N3/second-open'],
    capabilities: { shared: false, durable: false },
  },
  {
    id: 'one-pool-for-all',
    kills: ['N2/apart', 'N2/untouched', 'N2/events', 'N2/operation-ids'],
    hangs: ['N2/events'],
    pool: () => 'all',
  },
  { id: 'pool-names-in-lower-case', kills: ['N2/awkward-names'], pool: (name) => name.toLowerCase() },
  { id: 'pool-names-cut-at-127', kills: ['N2/awkward-names'], pool: (name) => name.slice(0, 127) },
  { id: 'pool-names-cleaned', kills: ['N2/awkward-names'], pool: (name) => name.replace(/[^A-Za-z0-9]/g, '-') },
  { id: 'pool-names-as-paths', kills: ['N2/awkward-names'], pool: (name) => posix.normalize(name) },
  { id: 'pool-names-without-braces', kills: ['N2/awkward-names'], pool: (name) => name.replace(/[{}]/g, '') },
  {
    id: 'awkward-names-made-up-anew',
    kills: ['N2/reopened-by-name'],
    pool: (name) => (/^[\w-]+$/.test(name) ? name : `${name}${randomUUID()}`),
  },
  {
    id: 'releases-what-it-acknowledges',
    kills: ['history/random-1', 'history/random-2', 'history/random-3'],
    plant: (store) => ({
      async markAcknowledged(hashes, options) {
        await store.release(hashes);
        return store.markAcknowledged(hashes, options);
      },
    }),
  },
];
