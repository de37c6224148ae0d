import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { MempoolEvent, ReceiveOutcome } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { type Fault, moment, planted, stores } from './fault.ts';

/** The nodes of a pool in this process, and the options of the first. */
const nodes = new Map<string, TestedPool[]>();

/** Judges by what it read a moment ago. */
function judgingEarly(store: TestedPool): Partial<TestedPool> {
  const stages = async (hashes: readonly string[]) => {
    const stageOf = new Map((await store.status(hashes)).map(({ hash, stage }) => [hash, stage]));
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
    async putRecord(name, value, { version, ...options } = {}) {
      const present = (await store.getRecord(name))?.version ?? 0;
      await moment();
      if (version !== undefined && version !== present) return { kind: 'conflict', version: present };
      return store.putRecord(name, value, options);
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
function deafToOthers(store: TestedPool): Partial<TestedPool> {
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

/** Writes under a lock file, taken away a moment later, and by nobody when its owner has died. */
function locking(store: TestedPool, path: string): Partial<TestedPool> {
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

/** A pool taken for another by its name. */
function renamed(id: string, pool: (name: string) => string): Fault {
  return planted(id, { pool });
}

const anew = (path: string): string => `${path}-${randomUUID()}`;

export const nodeFaults: readonly Fault[] = [
  planted('every-node-alone', { path: anew }),
  planted('judges-by-an-earlier-read', { plant: judgingEarly }),
  stores.plant('closes-its-neighbours', (store, { path }) => {
    const all = nodes.get(path) ?? [];
    nodes.set(path, [...all, store]);
    return { close: async () => void (await Promise.all((nodes.get(path) ?? []).map((node) => node.close()))) };
  }),
  planted('deaf-to-other-nodes', { plant: deafToOthers }),
  planted('a-lock-left-behind', { plant: (store, { path }) => locking(store, path) }),
];

export const poolFaults: readonly Fault[] = [
  planted('a-durable-pool-anew-at-every-open', { capabilities: { shared: false }, path: anew }),
  renamed('one-pool-for-all', () => 'all'),
  renamed('pool-names-in-lower-case', (name) => name.toLowerCase()),
  renamed('awkward-names-made-up-anew', (name) => (/^[\w-]+$/.test(name) ? name : `${name}${randomUUID()}`)),
];
