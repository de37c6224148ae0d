import type { Mutant } from './mutant.ts';
import { pools, priorities } from './store-operators.ts';

/** P19, and payloads of claims. */
export const claimMutants: readonly Mutant[] = [
  pools.unheard('acknowledges-without-its-claim', 'markAcknowledged', 'claim'),
  pools.unheard('releases-without-its-claim', 'release', 'claim'),
  pools.unheard('drops-without-its-claim', 'drop', 'claim'),
  pools.around('extensions-are-only-told', {
    extendClaim: async ({ store, options, given: [claimId, claimMs, { now = 0 } = {}] }) => {
      const outcome = await store.extendClaim(claimId, 1, { now });
      const untilMs = Math.min(now || Number.POSITIVE_INFINITY, options.now?.() ?? Date.now()) + claimMs;
      return outcome.kind === 'ended' ? outcome : { ...outcome, untilMs: Math.max(untilMs, outcome.untilMs) };
    },
  }),
  pools.told('ended-claims-are-extended', {
    extendClaim: (told, { given: [, claimMs] }) =>
      told.kind === 'ended' && { kind: 'extended', untilMs: claimMs, held: 0 },
  }),
  pools.told('extensions-count-what-was-taken', {
    take: ({ claimId, transactions }, { notes }) => void notes.numbers.set(claimId, transactions.length),
    extendClaim: ({ kind }, { given: [id], notes }) => kind === 'extended' && { held: notes.numbers.get(id) ?? 0 },
  }),
  pools.unheard('extensions-not-recorded', 'extendClaim', 'operationId'),
  pools.unheard('extended-at-the-pools-time-alone', 'extendClaim', 'now'),
  pools.each('claims-with-empty-payloads', { take: (one) => 'payload' in one && { payload: new Uint8Array() } }),
];

/** P20. */
export const holdingMutants: readonly Mutant[] = [
  pools.around('past-times-hold', {
    release: ({ store, options: { now = Date.now }, given: [hashes, options = {}] }) => {
      const { notBeforeMs } = options;
      const isPast = notBeforeMs !== undefined && notBeforeMs <= now();
      return store.release(hashes, isPast ? { ...options, notBeforeMs: now() + 1 } : options);
    },
  }),
  pools.told('the-last-is-woken-first', { sweep: ({ woken }) => ({ woken: woken.toReversed() }) }),
  pools.told('woken-without-more', { sweep: ({ woken }) => woken.length > 0 && { more: false } }),
  pools.told('wakings-are-events', {
    sweep: async ({ woken }, { store }) => {
      if (woken.length > 0) await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    },
  }),
  pools.given('a-held-one-is-received-anew', {
    receive: async (batch, { store }) => {
      const known = await store.checkStatus(batch.map(({ hash }) => hash));
      const held = known.filter(({ notBefore }) => notBefore !== null).map(({ hash }) => hash);
      await store.drop(held, 'failed');
    },
  }),
  priorities.only('held-ones-are-not-parked', { peekParked: ({ notBefore }) => notBefore === null }),
  priorities.given('sweeps-evict-unasked', { sweep: (options) => ({ ...options, overLimits: true }) }),
  priorities.only('woken-ones-are-not-told-again', { since: ({ seq, gossipSeq }) => gossipSeq <= seq + 1 }),
];
