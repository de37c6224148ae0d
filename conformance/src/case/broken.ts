import type { ConfirmOutcome, OpenOptions, ReceiveOutcome } from 'mempool-core';
import type { Subject } from './case.ts';
import type { AnySubject } from './subject.ts';
import { asTested, type TestedPool } from './tested-pool.ts';
import { storeVerbs, verbsOf } from './verbs.ts';

/** A fault that can be planted in the stores of any subject, and the case that must notice it. */
export interface BrokenStore {
  readonly id: string;
  readonly title: string;
  /** Id of a case that must fail with this fault. */
  readonly noticedBy: string;
  plant(store: TestedPool, options: OpenOptions): Partial<TestedPool>;
}

/** Deliberately broken stores. The suite must fail on each of them. */
export const brokenStores: readonly BrokenStore[] = [
  {
    id: 'releases-what-it-acknowledges',
    title: 'markAcknowledged releases first',
    noticedBy: 'L4/released-order',
    plant: (store) => ({
      async markAcknowledged(hashes, options) {
        await store.release(hashes);
        return store.markAcknowledged(hashes, options);
      },
    }),
  },
  {
    id: 'forgets-operation-ids',
    title: 'a repeated call is carried out again',
    noticedBy: 'X2/repeated',
    plant: (store) => ({
      receive: (transactions, options) => store.receive(transactions, { ...options, operationId: undefined }),
    }),
  },
  {
    id: 'receives-in-halves',
    title: 'a batch is written in two steps',
    noticedBy: 'X1/too-many',
    plant: (store) => ({
      async receive(transactions, options) {
        const middle = Math.ceil(transactions.length / 2);
        const outcomes: ReceiveOutcome[] = await store.receive(transactions.slice(0, middle), options);
        return [...outcomes, ...(await store.receive(transactions.slice(middle)))];
      },
    }),
  },
  {
    id: 'takes-any-parent',
    title: 'a block is applied without a check of its parent',
    noticedBy: 'X3/gap',
    plant: (store) => ({
      confirm: ({ parent: _, ...block }, policy, options): Promise<ConfirmOutcome> =>
        store.confirm(block, policy, options),
    }),
  },
  {
    id: 'pages-in-no-order',
    title: 'a page of Pending comes newest first',
    noticedBy: 'L1/seq-told',
    plant: (store) => ({
      async peekPending(query) {
        const page = await store.peekPending(query);
        return { ...page, transactions: page.transactions.reverse() };
      },
    }),
  },
  {
    id: 'done-though-aborted',
    title: 'an aborted call rejects, but is carried out',
    noticedBy: 'R3/during',
    plant: (store) => ({
      async receive(transactions, { signal, ...options } = {}) {
        const outcomes = await store.receive(transactions, options);
        signal?.throwIfAborted();
        return outcomes;
      },
    }),
  },
];

export const brokenIds: readonly string[] = brokenStores.map(({ id }) => id);

/**
 * Returns the subject with that fault in its stores. It has no child processes, because their stores would not have the fault.
 *
 * @throws RangeError if there is no such fault, or the subject has no stores
 */
export function breaking(subject: AnySubject, fault: string): Subject {
  const broken = brokenStores.find(({ id }) => id === fault);
  if (broken === undefined) throw new RangeError(`no fault is called ${fault}: ${brokenIds.join(', ')}`);
  if (!('backend' in subject)) throw new RangeError(`${subject.name} is an election alone: it has no stores to break`);
  const { boundary: _, ...whole } = subject;
  return {
    ...whole,
    name: `${subject.name}, ${fault}`,
    module: `none: ${fault} is planted in this process`,
    async open(pool, options = {}) {
      const store = asTested(await subject.open(pool, options));
      const { name, capabilities, ordering } = store;
      return { name, capabilities, ordering, ...verbsOf(store, storeVerbs), ...broken.plant(store, options) };
    },
  };
}
