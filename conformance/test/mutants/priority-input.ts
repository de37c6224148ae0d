import { setImmediate as turn } from 'node:timers/promises';
import { MempoolError, type MempoolStore, type Submission, type Verdict } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { misheard } from './priority-order.ts';
import { pools } from './stores.ts';

const bad = 'ERR_MEMPOOL_INVALID';

/** What each verb answers where it takes bad input for none. */
const nothing = {
  reap: [],
  best: [],
  take: { leaseId: 'none', owner: 'none', untilMs: 0, transactions: [] },
  sweep: { returned: [], expired: [], evicted: [], more: false },
  since: { items: [], next: 0 },
  payloads: [],
  peekParked: [],
  stale: [],
  revise: [],
  setLimits: {},
  flush: 0,
  dump: {},
} as const;
type Lenient = keyof typeof nothing;

/** Takes a submission that was refused for such a field for another one. */
function mended(id: string, field: RegExp, change: (one: Submission) => object): Mutant {
  return pools.caught(id, ['receive'], bad, (error, { store, given: [batch, options] }) => {
    if (!field.test(String(error.details.field))) throw error;
    const made = batch.map((one) => ({ ...one, ...change(one) }));
    return store.receive(made, options);
  });
}

const fields: readonly (keyof Verdict)[] = [
  'priority',
  'sender',
  'senderLimit',
  'gas',
  'provides',
  'requires',
  'expiresAt',
  'expiresAtHeight',
  'propagate',
];

/** Runs what is left to do although the call was aborted, or the store closed. */
function late(id: string, verb: 'reap' | 'flush', code: MempoolError['code'] | null): Mutant {
  return pools.plant(id, (store) => ({
    [verb]: async (first: object = {}, second: object = {}) => {
      const own = { ...(verb === 'flush' ? first : second), signal: undefined };
      try {
        return await (verb === 'flush' ? store.flush(own) : store.reap(first, own));
      } catch (error) {
        if (error instanceof MempoolError && error.code === code) return [];
        throw error;
      }
    },
  }));
}

/** P17. */
export const poolInputMutants: readonly Mutant[] = [
  ...(Object.keys(nothing) as Lenient[]).map((verb) =>
    pools.caught(`bad-input-of-${verb}-answered`, [verb], bad, () => nothing[verb]),
  ),
  // A bad field of a verdict is taken for one that is left out.
  ...fields.map((field) =>
    mended(`bad-${field}-taken-for-none`, new RegExp(`\\.verdict\\.${field}`), ({ verdict }) => ({
      verdict: { ...verdict, [field]: undefined },
    })),
  ),
  mended('bad-verdict-taken-for-none', /verdict$/, () => ({ verdict: undefined })),
  mended('bad-source-taken-for-none', /from$/, () => ({ from: undefined })),
  pools.givenEach('large-payload-cut', {
    receive: (one) => one?.payload instanceof Uint8Array && { payload: one.payload.slice(0, 1_048_576) },
  }),
  pools.caught('bad-moment-taken-for-now', ['receive'], bad, (error, { store, given: [batch, options] }) => {
    if (!/^(now|height)$/.test(String(error.details.field))) throw error;
    return store.receive(batch, { ...options, now: undefined, height: undefined });
  }),
  pools.caught('bad-tags-of-a-block-taken-for-none', ['confirm'], bad, (_, { store, given: [block, ...rest] }) =>
    store.confirm({ ...block, provides: [] }, ...rest),
  ),
  pools.caught('bad-submission-named-without-its-field', ['receive'], bad, () => {
    throw new MempoolError(bad, 'bad', { field: 'transactions' });
  }),
  pools.caught('good-revisions-before-a-bad-one-apply', ['revise'], null, async (error, { store, given }) => {
    const [revisions, options] = given;
    for (const one of Array.isArray(revisions) ? revisions : [])
      await store.revise([one], options).catch(() => undefined);
    throw error;
  }),
  pools.caught('good-limits-beside-a-bad-one-apply', ['setLimits'], null, async (error, { store, given: [limits] }) => {
    for (const [name, value] of Object.entries(limits ?? {}))
      await store.setLimits({ [name]: value }).catch(() => undefined);
    throw error;
  }),
  pools.opened('bad-limits-of-an-open-left-out', (options) => {
    const isGood = (value: unknown) =>
      value === 'none' || (typeof value === 'number' && value >= 0 && value <= 300_000_000);
    const isLimit = (name: string) => /^(max|ttl|replacement|eviction)/.test(name);
    return Object.fromEntries(Object.entries(options).filter(([name, value]) => !isLimit(name) || isGood(value)));
  }),
  pools.opened('any-other-ordering-is-by-arrival', ({ ordering, ...options }) => ({
    ...options,
    ordering: ordering === 'priority' ? 'priority' : 'fifo',
  })),
  pools.opened('no-clock-is-the-machines', ({ now, ...options }) => ({
    ...options,
    ...(typeof now === 'function' ? { now } : {}),
  })),
  pools.instead('five-hundred-submissions-at-most', {
    receive: ({ given: [batch] }) =>
      batch.length > 900 &&
      batch.length <= 1_000 &&
      batch[0]?.payload.length === 1 &&
      Promise.reject(invalid('transactions', 'at most 500')),
  }),
  misheard('verdicts-cut-to-a-thousand-tags', ({ provides }) => ({ provides: provides.slice(0, 1_000) })),
  misheard('text-compared-in-one-form', ({ provides, requires }) => ({
    provides: provides.map((tag) => tag.normalize()),
    requires: requires.map((tag) => tag.normalize()),
  })),
  pools.given('arguments-read-later', {
    receive: async (batch) => {
      if (batch.some(({ payload }) => payload.length === 3)) await turn();
    },
  }),
  pools.plant('limits-handed-out-as-they-are', (store) => {
    let kept: Awaited<ReturnType<MempoolStore['setLimits']>> | null = null;
    return {
      setLimits: async (limits, options) => {
        kept = await store.setLimits(limits, options);
        return kept;
      },
      receive: async (batch, options) => {
        if (kept !== null) await store.setLimits(kept);
        return store.receive(batch, options);
      },
    };
  }),
  late('reaps-when-closed', 'reap', 'ERR_MEMPOOL_CLOSED'),
  late('flushes-when-aborted', 'flush', null),
];
