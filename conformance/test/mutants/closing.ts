import { setImmediate as turn } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolStore } from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';
import { allVerbs, around } from './through.ts';

function closedSays(id: string, refuse: () => Promise<unknown>): Mutant {
  return around(
    id,
    allVerbs,
    () => (_, call) =>
      call().catch((error: unknown) => {
        if (isMempoolError(error, 'ERR_MEMPOOL_CLOSED')) return refuse();
        throw error;
      }),
  );
}

/** R1 and R2. */
export const closingMutants: readonly Mutant[] = [
  closedSays('closed-is-unavailable', () => Promise.reject(new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'closed'))),
  closedSays('closed-is-a-plain-error', () => Promise.reject(new Error('closed'))),
  closedSays('closed-answers-with-nothing', async () => []),
  around(
    'errors-are-retryable',
    allVerbs,
    () => (_, call) =>
      call().catch((error: unknown) => {
        throw error instanceof Error ? Object.assign(new Error(error.message), error, { retryable: true }) : error;
      }),
  ),
  around(
    'error-known-by-class-only',
    allVerbs,
    () => (_, call) =>
      call().catch((error: unknown) => {
        throw isMempoolError(error) ? Object.assign(new Error(error.message), { reason: error.code }) : error;
      }),
  ),
  around('gap-is-an-error', ['confirm'], () => async (_, call) => {
    const outcome = (await call()) as { kind: string };
    if (outcome.kind === 'gap') throw new Error('gap');
    return outcome;
  }),
  handed('capabilities-end-with-the-store', (store) => {
    const capabilities = { durable: false, shared: false, lease: false, priority: false };
    return {
      capabilities,
      close: async () => {
        Object.assign(capabilities, { durable: undefined });
        await store.close();
      },
    };
  }),
  handed('capabilities-of-another', () => ({
    capabilities: { durable: false, shared: true, lease: false, priority: false },
  })),
  handed('second-close-is-refused', (store) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new MempoolError('ERR_MEMPOOL_CLOSED', 'closed');
        closed = true;
        await store.close();
      },
    };
  }),
  handed('close-closes-nothing', () => ({ close: async () => undefined })),
  handed('dispose-closes-nothing', () => ({ [Symbol.asyncDispose]: async () => undefined })),
  handed('close-does-not-wait', (store) => {
    const slow: Partial<MempoolStore> = {
      receive: async (batch, options) => {
        await turn();
        await turn();
        return store.receive(batch, options);
      },
    };
    return { ...slow, close: () => store.close() };
  }),
  handed('close-lets-new-calls-in', (store) => ({
    close: async () => {
      await turn();
      await store.close();
    },
  })),
  handed('close-closes-all-pools', (store) => {
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
