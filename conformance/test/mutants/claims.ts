import type { Mutant } from './mutant.ts';
import { pools, priorities } from './store-operators.ts';

/** A row of verbs that pass over the claim that they are given. */
const unguarded: readonly Mutant[] = [
  pools.around('acknowledges-without-its-claim', {
    markAcknowledged: ({ store, given: [hashes, { claim: _, ...options } = {}] }) =>
      store.markAcknowledged(hashes, options),
  }),
  pools.around('releases-without-its-claim', {
    release: ({ store, given: [hashes, { claim: _, ...options } = {}] }) => store.release(hashes, options),
  }),
  pools.around('drops-without-its-claim', {
    drop: ({ store, given: [hashes, reason, { claim: _, ...options } = {}] }) => store.drop(hashes, reason, options),
  }),
];

/** P19, and payloads of claims. */
export const claimMutants: readonly Mutant[] = [
  ...unguarded,
  pools.around('extensions-are-only-told', {
    extendClaim: async ({ store, options, given: [claimId, claimMs, { now = 0 } = {}] }) => {
      const outcome = await store.extendClaim(claimId, 1, { now });
      const untilMs = Math.min(now || Number.POSITIVE_INFINITY, options.now?.() ?? Date.now()) + claimMs;
      return outcome.kind === 'ended' ? outcome : { ...outcome, untilMs: Math.max(untilMs, outcome.untilMs) };
    },
  }),
  pools.around('claims-extended-once', {
    extendClaim: ({ store, given: [claimId, claimMs, options], notes }) => {
      notes.count += 1;
      return store.extendClaim(claimId, notes.count > 1 ? 1 : claimMs, options);
    },
  }),
  pools.told('extensions-shorten', {
    extendClaim: (told, { options, given: [, claimMs] }) =>
      told.kind === 'extended' && { untilMs: (options.now?.() ?? Date.now()) + claimMs },
  }),
  pools.around('late-claims-are-not-extended', {
    take: async ({ store, given: [budget, options], notes }) => {
      const claim = await store.take(budget, options);
      notes.numbers.set(claim.claimId, claim.untilMs);
      return claim;
    },
    extendClaim: async ({ store, options: { now = Date.now }, given, notes }) => {
      if ((notes.numbers.get(given[0]) ?? Number.POSITIVE_INFINITY) < now()) return { kind: 'ended' };
      const outcome = await store.extendClaim(...given);
      if (outcome.kind === 'extended') notes.numbers.set(given[0], outcome.untilMs);
      return outcome;
    },
  }),
  pools.told('ended-claims-are-extended', {
    extendClaim: (told, { given: [, claimMs] }) =>
      told.kind === 'ended' && { kind: 'extended', untilMs: claimMs, held: 0 },
  }),
  pools.around('extensions-count-what-was-taken', {
    take: async ({ store, given: [budget, options], notes }) => {
      const claim = await store.take(budget, options);
      notes.numbers.set(claim.claimId, claim.transactions.length);
      return claim;
    },
    extendClaim: async ({ store, given, notes }) => {
      const outcome = await store.extendClaim(...given);
      return outcome.kind === 'ended' ? outcome : { ...outcome, held: notes.numbers.get(given[0]) ?? 0 };
    },
  }),
  pools.around('extends-every-claim', {
    take: async ({ store, given: [budget, options], notes }) => {
      const claim = await store.take(budget, options);
      notes.hashes.add(claim.claimId);
      return claim;
    },
    extendClaim: async ({ store, given: [claimId, claimMs, options], notes }) => {
      for (const other of notes.hashes) if (other !== claimId) await store.extendClaim(other, claimMs);
      return store.extendClaim(claimId, claimMs, options);
    },
  }),
  pools.around('extensions-not-recorded', {
    extendClaim: ({ store, given: [claimId, claimMs, { operationId: _, ...options } = {}] }) =>
      store.extendClaim(claimId, claimMs, options),
  }),
  pools.around('extended-at-the-pools-time-alone', {
    extendClaim: ({ store, given: [claimId, claimMs, { now: _, ...options } = {}] }) =>
      store.extendClaim(claimId, claimMs, options),
  }),
  pools.told('extensions-are-events', {
    extendClaim: async (_, { store }) => {
      await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    },
  }),
  pools.each('claims-with-empty-payloads', { take: (one) => 'payload' in one && { payload: new Uint8Array() } }),
];

/** P20. */
export const holdingMutants: readonly Mutant[] = [
  pools.around('nothing-is-held', {
    release: ({ store, given: [hashes, { notBeforeMs: _, ...options } = {}] }) => store.release(hashes, options),
  }),
  pools.around('past-times-hold', {
    release: ({ store, options: { now = Date.now }, given: [hashes, options = {}] }) => {
      const { notBeforeMs } = options;
      const isPast = notBeforeMs !== undefined && notBeforeMs <= now();
      return store.release(hashes, isPast ? { ...options, notBeforeMs: now() + 1 } : options);
    },
  }),
  pools.around('held-for-good-in-its-status', {
    release: async ({ store, given: [hashes, options], notes }) => {
      const moved = await store.release(hashes, options);
      for (const hash of moved) if (options?.notBeforeMs) notes.numbers.set(hash, options.notBeforeMs);
      return moved;
    },
    checkStatus: async ({ store, given, notes }) => {
      const told = await store.checkStatus(...given);
      return told.map((one) => ({ ...one, notBefore: notes.numbers.get(one.hash) ?? one.notBefore }));
    },
  }),
  pools.around('a-take-wakes-nothing', {
    take: ({ store, given: [budget, options] }) => store.take(budget, { ...options, now: 0 }),
  }),
  pools.told('the-last-is-woken-first', { sweep: ({ woken }) => ({ woken: woken.toReversed() }) }),
  pools.told('woken-without-more', { sweep: ({ woken }) => woken.length > 0 && { more: false } }),
  pools.told('held-ones-are-waited-for', {
    hasPending: async (told, { store }) => told || (await store.usage()).held > 0,
  }),
  pools.told('held-ones-are-not-counted', {
    usage: ({ pending, held }) => ({ pending: pending - held }),
  }),
  pools.told('wakings-are-events', {
    sweep: async ({ woken }, { store }) => {
      if (woken.length > 0) await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    },
  }),
  pools.around('a-held-one-is-received-anew', {
    receive: async ({ store, given }) => {
      const known = await store.checkStatus(given[0].map(({ hash }) => hash));
      const held = known.filter(({ notBefore }) => notBefore !== null).map(({ hash }) => hash);
      await store.drop(held, 'failed');
      return store.receive(...given);
    },
  }),
  pools.around('holding-keeps-the-claim', {
    extendClaim: async ({ store, given }) => {
      const outcome = await store.extendClaim(...given);
      const { held } = await store.usage();
      return outcome.kind === 'ended' && held > 0 ? { kind: 'extended', untilMs: given[1], held } : outcome;
    },
  }),
  priorities.told('held-ones-are-not-parked', {
    peekParked: ({ transactions }) => ({ transactions: transactions.filter(({ notBefore }) => notBefore === null) }),
  }),
  priorities.given('sweeps-evict-unasked', { sweep: (options) => ({ ...options, overLimits: true }) }),
  priorities.told('woken-ones-are-not-told-again', {
    since: ({ items }) => ({ items: items.filter(({ seq, gossipSeq }) => gossipSeq <= seq + 1) }),
  }),
];
