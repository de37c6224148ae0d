import { defaultLimits, isMempoolError, type TransactionStatus } from 'mempool-core';
import { encodeEntry, encodeLimits } from 'mempool-core/backend';
import { changing, type Fault, sabotaged, stores } from './fault.ts';

/** What is answered where a record is damaged. */
const mended = (instead: () => unknown) => (error: unknown) =>
  isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? instead() : Promise.reject(error);

/** Those before the first gap of their seqs. */
function untilGap<One extends { readonly seq: number }>(found: readonly One[]): One[] {
  const end = found.findIndex(({ seq }, i) => i > 0 && seq !== (found[i - 1] as One).seq + 1);
  return found.slice(0, end < 0 ? undefined : end);
}

/** True for one whose stage cannot be read. */
function isUnreadable({ stage, receivedAt }: TransactionStatus): boolean {
  return stage === 'Propagated' && receivedAt === null;
}

/** An entry with the default verdict, as it is stored. */
const silent = encodeEntry({
  ...{ hash: '', seq: 1, bytes: 48, sources: [], version: 1, claim: null },
  verdict: {
    ...{ priority: 0n, sender: '', senderLimit: null, gas: 0, provides: [], requires: [] },
    ...{ expiresAt: null, expiresAtHeight: null, propagate: true },
  },
  ...{ admittedAt: 1, admittedHeight: 0, checkedHeight: 0, gossipSeq: 1 },
});

/** Faults in the handling of a record that cannot be read. */
export const damageFaults: readonly Fault[] = [
  stores.told('a-damaged-payload-ends-the-pages', {
    peekPending: ({ transactions }) => ({ transactions: untilGap(transactions) }),
  }),
  stores.around('a-sweep-leaves-what-is-damaged', {
    sweep: ({ store, reopened, given }) =>
      reopened
        ? Promise.resolve({ returned: [], woken: [], expired: [], evicted: [], more: false })
        : store.sweep(...given),
  }),
  stores.around('what-was-damaged-is-dropped-again', {
    receive: async ({ store, reopened, given }) => {
      const outcome = await store.receive(...given);
      const hashes = outcome.map(({ hash }) => hash);
      if (reopened) await store.drop(hashes, 'damaged');
      return outcome;
    },
  }),
  stores.around('what-is-damaged-in-flight-is-dropped', {
    findInflight: async ({ store, given: [hashes, options] }) => {
      const found = await store.findInflight(hashes, options);
      await store.drop(
        hashes.filter((_, i) => found[i] === null),
        'damaged',
      );
      return found;
    },
  }),
  stores.around('a-damaged-payload-is-no-gossip', {
    since: async ({ store, given }) => {
      const page = await store.since(...given);
      return { ...page, items: untilGap(page.items) };
    },
  }),
  stores.around('an-export-ends-at-what-is-damaged', {
    export: async function* ({ store, given }) {
      try {
        yield* store.export(...given);
      } catch (error) {
        if (!isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
      }
    },
  }),
  stores.around('a-damaged-payload-ends-the-reap', {
    reap: async ({ call, given }) => {
      const reaped = (await (call as (...args: readonly unknown[]) => Promise<readonly object[]>)(...given)) as never[];
      return untilGap(reaped);
    },
  }),
  stores.told('a-damaged-stage-is-unknown', {
    status: (told) => told.map((one) => (isUnreadable(one) ? { ...one, stage: 'Unknown' } : one)),
  }),
  sabotaged('damaged-limits-are-the-usual-ones', `UPDATE priority_pool SET limits = '${encodeLimits(defaultLimits)}'`),
  sabotaged(
    'a-damaged-verdict-says-nothing',
    `UPDATE entry SET record = x'${silent.toString('hex')}' WHERE length(record) < ${silent.length}`,
  ),
  sabotaged(
    'a-damaged-log-entry-is-finalized',
    'UPDATE log SET stage = 4, tick = max(tick, 1), point = zeroblob(40), reason = NULL WHERE stage > 5',
  ),
  sabotaged(
    'a-damaged-log-entry-is-dropped',
    "UPDATE log SET stage = 5, point = NULL, reason = 'unknown' WHERE stage > 5",
  ),
  sabotaged('a-damaged-point-is-forgotten', 'DELETE FROM block WHERE length(point) < 40'),
  stores.around('damaged-events-are-passed-over', {
    subscribe: async ({ store, given }) =>
      changing(await store.subscribe(...given), (event) => (event.kind === 'lagged' ? [] : [event])),
  }),
  stores.around('a-call-with-a-damaged-outcome-is-a-new-one', {
    receive: ({ store, given }) => store.receive(...given).catch(mended(() => store.receive(given[0]))),
  }),
  stores.around('a-damaged-record-is-absent', {
    getRecord: ({ store, given }) => store.getRecord(...given).catch(mended(() => null)),
  }),
  stores.around('a-damaged-record-stays', {
    putRecord: async ({ store, given: [name, value, options] }) => {
      if (value === null) await store.getRecord(name);
      return store.putRecord(name, value, options);
    },
  }),
  sabotaged('a-damaged-lease-is-a-lease', "UPDATE lease SET seq = 0 WHERE typeof(seq) = 'text'"),
  sabotaged('damaged-counters-begin-anew', "UPDATE step SET last_seq = 0 WHERE typeof(last_seq) = 'text'"),
];
