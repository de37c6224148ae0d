import type { Mutant } from './mutant.ts';
import { pools } from './store-operators.ts';

/** P19, and payloads of claims. */
export const claimMutants: readonly Mutant[] = [
  pools.each('claims-with-empty-payloads', { take: (one) => 'payload' in one && { payload: new Uint8Array() } }),
];

/** P20. */
export const holdingMutants: readonly Mutant[] = [
  pools.told('the-last-is-woken-first', { sweep: ({ woken }) => ({ woken: woken.toReversed() }) }),
  pools.told('woken-without-more', { sweep: ({ woken }) => woken.length > 0 && { more: false } }),
  pools.told('wakings-are-events', {
    sweep: async ({ woken }, { store }) => {
      if (woken.length > 0) await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    },
  }),
];
