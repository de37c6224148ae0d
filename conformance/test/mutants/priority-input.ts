import { setImmediate as turn } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolStore, type Submission, type Verdict } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { rankedOpened, rankedStore, ranking } from './priority-pool.ts';

const isInvalid = (error: unknown): boolean => isMempoolError(error, 'ERR_MEMPOOL_INVALID');

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

function lenient(verb: Lenient): Mutant {
  return rankedStore(`bad-input-of-${verb}-answered`, (store) => {
    const call = store[verb].bind(store) as (...given: unknown[]) => Promise<unknown>;
    const answer = (error: unknown): unknown => {
      if (isInvalid(error)) return nothing[verb];
      throw error;
    };
    return { [verb]: (...given: unknown[]) => call(...given).catch(answer) } as Partial<MempoolStore>;
  });
}

/** Takes a bad field of a verdict for one that is left out. */
function withoutField(field: keyof Verdict): Mutant {
  return rankedStore(`bad-${field}-taken-for-none`, (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch((error: unknown) => {
        const named = isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? String(error.details.field) : '';
        if (!named.includes(`.verdict.${field}`)) throw error;
        return store.receive(
          batch.map((one) => ({ ...one, verdict: { ...one.verdict, [field]: undefined } })),
          options,
        );
      }),
  }));
}

function without(id: string, pattern: RegExp, change: (one: Submission) => Submission): Mutant {
  return rankedStore(id, (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch((error: unknown) => {
        const named = isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? String(error.details.field) : '';
        if (!pattern.test(named)) throw error;
        return store.receive(batch.map(change), options);
      }),
  }));
}

const fields = [
  'priority',
  'sender',
  'senderLimit',
  'gas',
  'provides',
  'requires',
  'expiresAt',
  'expiresAtHeight',
  'propagate',
] as const;

/** Runs what is left to do although the call was aborted, or the store closed. */
function late(id: string, verb: 'reap' | 'flush', code: string): Mutant {
  return rankedStore(id, (store) => ({
    [verb]: async (first: object = {}, second: object = {}) => {
      const isFlush = verb === 'flush';
      const own = { ...(isFlush ? first : second), signal: undefined };
      try {
        return await (isFlush ? store.flush(own) : store.reap(first, own));
      } catch (error) {
        if (isMempoolError(error) && error.code === code) return isFlush ? 0 : [];
        throw error;
      }
    },
  }));
}

/** P17. */
export const poolInputMutants: readonly Mutant[] = [
  ...(Object.keys(nothing) as Lenient[]).map(lenient),
  ...fields.map(withoutField),
  without('bad-verdict-taken-for-none', /verdict$/, (one) => ({ ...one, verdict: undefined })),
  without('bad-source-taken-for-none', /from$/, (one) => ({ ...one, from: undefined })),
  rankedStore('large-payload-cut', (store) => ({
    receive: (batch, options) =>
      store.receive(
        Array.isArray(batch)
          ? batch.map((one) =>
              one?.payload instanceof Uint8Array ? { ...one, payload: one.payload.slice(0, 1_048_576) } : one,
            )
          : batch,
        options,
      ),
  })),
  rankedStore('bad-moment-taken-for-now', (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch((error: unknown) => {
        const isOfMoment =
          isMempoolError(error, 'ERR_MEMPOOL_INVALID') && /^(now|height)$/.test(String(error.details.field));
        if (!isOfMoment) throw error;
        return store.receive(batch, { ...options, now: undefined, height: undefined });
      }),
  })),
  rankedStore('bad-tags-of-a-block-taken-for-none', (store) => ({
    confirm: (block, ...rest) =>
      store.confirm(block, ...rest).catch((error: unknown) => {
        if (!isInvalid(error)) throw error;
        return store.confirm({ ...block, provides: [] }, ...rest);
      }),
  })),
  rankedStore('bad-submission-named-without-its-field', (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch((error: unknown) => {
        throw isInvalid(error) ? new MempoolError('ERR_MEMPOOL_INVALID', 'bad', { field: 'transactions' }) : error;
      }),
  })),
  rankedStore('good-revisions-before-a-bad-one-apply', (store) => ({
    revise: async (revisions, options) => {
      const told = await store.revise(revisions, options).catch(async (error: unknown) => {
        if (Array.isArray(revisions))
          for (const one of revisions) await store.revise([one], options).catch(() => undefined);
        throw error;
      });
      return told;
    },
  })),
  rankedStore('good-limits-beside-a-bad-one-apply', (store) => ({
    setLimits: (limits, options) =>
      store.setLimits(limits, options).catch(async (error: unknown) => {
        for (const [name, value] of Object.entries(limits ?? {}))
          await store.setLimits({ [name]: value }).catch(() => undefined);
        throw error;
      }),
  })),
  rankedOpened('bad-limits-of-an-open-left-out', (options) =>
    Object.fromEntries(
      Object.entries(options).filter(
        ([name, value]) =>
          !/^(max|ttl|replacement|eviction)/.test(name) ||
          value === 'none' ||
          (typeof value === 'number' && value >= 0 && value <= 300_000_000),
      ),
    ),
  ),
  rankedOpened('any-other-ordering-is-by-arrival', ({ ordering, ...options }) => ({
    ...options,
    ordering: ordering === 'priority' ? 'priority' : 'fifo',
  })),
  rankedOpened('no-clock-is-the-machines', ({ now, ...options }) => ({
    ...options,
    ...(typeof now === 'function' ? { now } : {}),
  })),
  rankedStore('five-hundred-submissions-at-most', (store) => ({
    receive: (batch, options) =>
      batch.length > 900 && batch.length <= 1_000 && batch[0]?.payload.length === 1
        ? Promise.reject(invalid('transactions', 'at most 500'))
        : store.receive(batch, options),
  })),
  ranking('verdicts-cut-to-a-thousand-tags', (driver) => ({
    admit: (submissions, ...rest) =>
      driver.admit(
        submissions.map(({ verdict, ...one }) => ({
          ...one,
          verdict: { ...verdict, provides: verdict.provides.slice(0, 1_000) },
        })),
        ...rest,
      ),
  })),
  ranking('text-compared-in-one-form', (driver) => ({
    admit: (submissions, ...rest) =>
      driver.admit(
        submissions.map(({ verdict, ...one }) => ({
          ...one,
          verdict: {
            ...verdict,
            provides: verdict.provides.map((tag) => tag.normalize()),
            requires: verdict.requires.map((tag) => tag.normalize()),
          },
        })),
        ...rest,
      ),
  })),
  rankedStore('arguments-read-later', (store) => ({
    receive: async (batch, options) => {
      if (batch.some(({ payload }) => payload.length === 3)) await turn();
      return store.receive(batch, options);
    },
  })),
  rankedStore('limits-handed-out-as-they-are', (store) => {
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
  late('flushes-when-aborted', 'flush', 'none'),
];
