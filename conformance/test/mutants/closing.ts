import { setImmediate as turn } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolStore } from 'mempool-core';
import { type Mutant, plainPool } from './mutant.ts';
import { stores } from './stores.ts';
import { allVerbs } from './through.ts';

function closedSays(id: string, refuse: () => unknown): Mutant {
  return stores.caught(id, allVerbs, 'ERR_MEMPOOL_CLOSED', refuse);
}

const closed = (code: 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_CLOSED') =>
  Promise.reject(new MempoolError(code, 'closed'));

/** R1 and R2. */
export const closingMutants: readonly Mutant[] = [
  closedSays('closed-is-unavailable', () => closed('ERR_MEMPOOL_UNAVAILABLE')),
  closedSays('closed-is-a-plain-error', () => Promise.reject(new Error('closed'))),
  closedSays('closed-answers-with-nothing', () => []),
  stores.caught('errors-are-retryable', allVerbs, null, (error) => {
    throw Object.assign(new Error(error.message), error, { retryable: true });
  }),
  stores.caught('error-known-by-class-only', allVerbs, null, (error) => {
    throw isMempoolError(error) ? Object.assign(new Error(error.message), { reason: error.code }) : error;
  }),
  stores.told('gap-is-an-error', { confirm: ({ kind }) => kind === 'gap' && Promise.reject(new Error('gap')) }),
  stores.plant('capabilities-end-with-the-store', (store) => {
    const capabilities = { ...plainPool };
    return {
      capabilities,
      close: async () => {
        Object.assign(capabilities, { durable: undefined });
        await store.close();
      },
    };
  }),
  stores.plant('capabilities-of-another', () => ({ capabilities: { ...plainPool, shared: true } })),
  stores.around('second-close-is-refused', {
    close: async ({ store, notes }) => {
      notes.count += 1;
      await (notes.count > 1 ? closed('ERR_MEMPOOL_CLOSED') : store.close());
    },
  }),
  stores.around('close-closes-nothing', { close: async () => undefined }),
  stores.plant('dispose-closes-nothing', () => ({ [Symbol.asyncDispose]: async () => undefined })),
  stores.around('close-does-not-wait', {
    receive: ({ store, given }) =>
      turn()
        .then(() => turn())
        .then(() => store.receive(...given)),
  }),
  stores.around('close-lets-new-calls-in', { close: ({ store }) => turn().then(() => store.close()) }),
  stores.plant('close-closes-all-pools', (store) => {
    open.add(store);
    const close = async () => {
      const all = [store, ...open];
      open.clear();
      await Promise.all(all.map((one) => one.close()));
    };
    return { close };
  }),
];

const open = new Set<MempoolStore>();
