import { isMempoolError, isRefusal, MempoolError, type Revision, type Verdict } from 'mempool-core';
import { changing, type Fault, sabotaged, stores } from './fault.ts';

/** What is answered where a record is damaged. */
const mended = (instead: () => unknown) => (error: unknown) =>
  isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? instead() : Promise.reject(error);

/** The revision with another verdict. */
function answering(revision: Revision, change: (verdict: Verdict) => Verdict): Revision {
  return isRefusal(revision.answer) ? revision : { ...revision, answer: change(revision.answer) };
}

/** A verdict that says nothing, as an entry is stored. */
const silent = '911830613060f6008080f6f6f5800100000001f6';

/** Faults in what is made of a record that cannot be read. */
export const damageFaults: readonly Fault[] = [
  stores.told('a-damaged-payload-ends-the-pages', {
    peekPending: ({ damaged, transactions }) => ({ transactions: damaged.length === 0 ? transactions : [] }),
  }),
  stores.told('a-damaged-payload-leaves-the-claim', {
    take: ({ transactions }) => ({ transactions: transactions.filter((one) => !('kind' in one)) }),
  }),
  stores.around('a-damaged-payload-is-not-reaped', {
    reap: async ({ call, given }) => {
      const reaped = (await (call as (...args: readonly unknown[]) => Promise<readonly object[]>)(...given)) as never[];
      return reaped.filter((one) => !('kind' in (one as object)));
    },
  }),
  stores.told('a-damaged-payload-is-no-gossip', { since: () => ({ damaged: [] }) }),
  stores.around('a-damaged-payload-leaves-the-claim-of-a-priority-pool', {
    take: async ({ store, given }) => {
      const claim = await store.take(...given);
      const intact = claim.transactions.filter((one) => !('kind' in one));
      return store.ordering === 'priority' ? { ...claim, transactions: intact } : claim;
    },
  }),
  stores.told('a-damaged-stage-is-unknown', {
    checkStatus: (told) => told.map((one) => (one.stage === 'Damaged' ? { ...one, stage: 'Unknown' } : one)),
  }),
  stores.around('a-damaged-stage-fails-the-call', {
    checkStatus: async ({ store, given }) => {
      const told = await store.checkStatus(...given);
      if (told.some(({ stage }) => stage === 'Damaged')) throw new MempoolError('ERR_MEMPOOL_CORRUPT', 'damaged');
      return told;
    },
  }),
  stores.around('a-damaged-verdict-is-parked-like-any', {
    peekParked: async ({ store, given }) => {
      const page = await store.peekParked(...given);
      return { ...page, damaged: [], transactions: [...page.transactions, ...(page.damaged as never[])] };
    },
  }),
  stores.around('a-damaged-verdict-stands-behind-nobody', {
    reap: async ({ store, reopened, given }) => {
      const reaped = await store.reap(...given);
      const { transactions } = reopened ? await store.peekParked() : { transactions: [] };
      return [...reaped, ...(transactions as readonly object[] as typeof reaped)];
    },
  }),
  stores.around('a-damaged-verdict-returns-beside-its-rival', {
    revise: ({ store, given: [revisions, options] }) =>
      store.revise(
        revisions.map((one) => answering(one, ({ provides: _, ...verdict }) => verdict)),
        options,
      ),
  }),
  stores.around('a-damaged-verdict-returns-beside-all-of-its-sender', {
    revise: ({ store, given: [revisions, options] }) =>
      store.revise(
        revisions.map((one) => answering(one, ({ senderLimit: _, sender: __, ...verdict }) => verdict)),
        options,
      ),
  }),
  stores.around('what-a-damaged-verdict-has-parked-expires-at-once', {
    sweep: async ({ store, reopened, given }) => {
      if (reopened && store.ordering === 'priority') await store.setLimits({ parkedTtlMs: 0 });
      return store.sweep(...given);
    },
  }),
  sabotaged('a-damaged-verdict-says-nothing', `UPDATE entry SET record = x'${silent}' WHERE length(record) < 16`),
  sabotaged(
    'a-damaged-log-entry-is-finalized',
    'UPDATE log SET stage = 4, point = zeroblob(40), reason = NULL WHERE stage > 5',
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
