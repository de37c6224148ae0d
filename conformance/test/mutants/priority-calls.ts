import { setImmediate as turn } from 'node:timers/promises';
import {
  type AnyStore,
  type Limits,
  type Load,
  MempoolError,
  type ReceiveOutcome,
  type Submission,
  type Verdict,
  type WriteOptions,
} from 'mempool-core';
import { invalid, type PoolDump, type PoolIndex, type PriorityPool, type StepEvent } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { unbound, unboundArgument } from './operations.ts';
import { isRefusal } from './priority-admission.ts';
import { priority, type RankedVerb } from './priority-operators.ts';
import { misheard } from './priority-order.ts';
import { pools } from './store-operators.ts';

/** What is told of the load. */
export function loaded(id: string, change: (load: Load, pool: PriorityPool) => Partial<Load>): Mutant {
  return priority.told(id, { usage: ({ load }, { pool }) => load && { load: { ...load, ...change(load, pool) } } });
}

/** What a list of the dump has, by its keys. */
const listsOf = {
  providers: ({ providers }: PoolIndex) => Array.from(providers.entries(), ([tag]) => [tag, []]),
  dependents: ({ dependents }: PoolIndex) => Array.from(dependents.entries(), ([tag]) => [tag, []]),
  claims: ({ claims }: PoolIndex) => Array.from(claims.entries(), ([id]) => [id, []]),
  senders: ({ totals }: PoolIndex) => Array.from(totals.senders, ([sender]) => [sender, 0]),
  satisfied: ({ satisfied }: PoolIndex) => [...satisfied.entries()],
};

/** What is once in a list of the dump stays there. */
function staying(id: string, list: keyof typeof listsOf): Mutant {
  return priority.plant(id, (driver, { index }) => {
    const seen = new Map<string, unknown>();
    const noting =
      <Given extends readonly unknown[], Told>(call: (...given: Given) => Told | Promise<Told>) =>
      async (...given: Given): Promise<Told> => {
        const told = await call(...given);
        for (const [key, value] of listsOf[list](index)) seen.set(key as string, value);
        return told;
      };
    return {
      admit: noting(driver.admit),
      take: noting(driver.take),
      confirm: noting(driver.confirm),
      dumpPool: async (context) => {
        const dump = await driver.dumpPool(context);
        const kept = new Map<string, unknown>([...seen, ...dump[list]]);
        return { ...dump, [list]: [...kept].sort(([a], [b]) => (a < b ? -1 : 1)) } as PoolDump;
      },
    };
  });
}

/** P13. */
export const drainMutants: readonly Mutant[] = [
  loaded('load-without-what-is-in-flight', (_, { index }) => ({ transactions: index.order.length })),
  loaded('load-with-confirmed-ones', ({ transactions }, { memory }) => ({
    transactions: transactions + memory.usage().confirmed,
  })),
  loaded('load-without-gas', () => ({ gas: 0 })),
  loaded('load-of-bytes-with-overhead', ({ bytes, transactions }) => ({ bytes: bytes + transactions })),
  loaded('parked-not-counted', () => ({ parked: 0 })),
  loaded('parked-counted-without-held', ({ parked }, { index }) => ({ parked: parked - index.heldCount })),
  loaded('headroom-of-a-number-always', ({ headroom }) => ({
    headroom: { ...headroom, transactions: Math.min(Number.MAX_SAFE_INTEGER, headroom.transactions) },
  })),
  staying('drained-pool-leaves-tags', 'providers'),
  staying('drained-pool-leaves-needs', 'dependents'),
  staying('drained-pool-leaves-senders', 'senders'),
  staying('drained-pool-leaves-satisfied-tags', 'satisfied'),
  pools.around('senders-keep-their-places', {
    receive: async ({ store, given, notes: { numbers } }) => {
      const senders = given[0].flatMap(({ verdict }) => verdict?.sender || []);
      const { maxPerSender } = await store.setLimits({});
      const isOver = maxPerSender === 1 && senders.some((sender) => numbers.has(sender));
      if (isOver) return given[0].map(({ hash }) => ({ kind: 'sender-limit', hash, limit: maxPerSender }));
      for (const sender of senders) numbers.set(sender, 1);
      return store.receive(...given);
    },
  }),
];

const ownVerbs = [
  ['admit', 'receive'],
  ['revise', 'revise'],
  ['sweep', 'sweep'],
  ['flush', 'flush'],
  ['setLimits', 'setLimits'],
] as const;
type OwnVerb = (typeof ownVerbs)[number];
type Call = (...given: unknown[]) => Promise<unknown>;

/** Only the last call is known again. */
function lastAlone([driverVerb, verb]: OwnVerb): Mutant {
  return priority.plant(`${verb}-known-until-the-next-call`, (driver) => {
    const ids = new Map<string, string>();
    let [made, last] = [0, ''];
    const verbs: readonly RankedVerb[] = ['admit', 'drop', 'setLimits', driverVerb];
    const noted = (name: RankedVerb) => {
      const call = driver[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        const context = given.at(-1) as WriteOptions;
        const { operationId } = context;
        made += 1;
        if (operationId === undefined || name !== driverVerb) {
          last = '';
          return call(...given);
        }
        if (last !== operationId) ids.set(operationId, `${operationId} ${made}`);
        last = operationId;
        return call(...given.slice(0, -1), { ...context, operationId: ids.get(operationId) });
      };
    };
    return Object.fromEntries(verbs.map((name) => [name, noted(name)]));
  });
}

/** The id of another verb is no matter. */
function ownIds([, verb]: OwnVerb): Mutant {
  return pools.plant(`${verb}-with-ids-of-its-own`, (store) => {
    const at = verb === 'flush' || verb === 'sweep' ? 0 : 1;
    const named = (...given: unknown[]) => {
      const options = given[at] as WriteOptions | undefined;
      const own = options?.operationId && { ...options, operationId: `${verb} ${options.operationId}` };
      return (store[verb] as Call)(...given.slice(0, at), own || options);
    };
    return { [verb]: named } as Partial<AnyStore>;
  });
}

/** What is told to a repeat, changed. */
function toRepeats<V extends 'receive' | 'setLimits'>(id: string, verb: V, change: (told: unknown) => unknown): Mutant {
  return pools.every(id, [verb], async ({ store, given, notes: { hashes } }) => {
    const told = await (store[verb] as Call)(...given);
    const { operationId = '' } = (given[1] as WriteOptions | undefined) ?? {};
    const isAgain = operationId !== '' && hashes.has(operationId);
    hashes.add(operationId);
    return isAgain ? change(told) : told;
  });
}

/** Events of such a stage told first, or last. */
function parted(id: string, verb: RankedVerb, stage: string, place: 'first' | 'last'): Mutant {
  const isOf = (event: StepEvent) => event.kind === 'transaction' && event.stage === stage;
  return priority.ordered(id, [verb], (events) => {
    const [of, others] = [events.filter(isOf), events.filter((event) => !isOf(event))];
    return place === 'first' ? [...of, ...others] : [...others, ...of];
  });
}

/** P14. */
export const poolOperationMutants: readonly Mutant[] = [
  // A repeat is a new call.
  ...ownVerbs.map(([driverVerb, verb]) =>
    priority.decided(`${verb}-not-recorded`, [driverVerb], () => ({ operation: null })),
  ),
  ...ownVerbs.map(lastAlone),
  ...ownVerbs.map(ownIds),
  priority.decided(
    'refusals-not-recorded',
    ['admit'],
    ({ outcome }) => (outcome as ReceiveOutcome[]).every(isRefusal) && { operation: null },
  ),
  toRepeats('recorded-without-parking', 'receive', (told) =>
    (told as ReceiveOutcome[]).map((one) => {
      if (one.kind !== 'received') return one;
      const { parked: _, ...rest } = one;
      return rest;
    }),
  ),
  toRepeats('recorded-limits-lose-the-endless', 'setLimits', (set) => {
    const { minPriority, ...numbers } = set as Limits;
    return { ...JSON.parse(JSON.stringify(numbers)), minPriority };
  }),
  unboundArgument('id-of-other-revisions-answered', 'revise', 0, pools),
  unbound(
    'id-of-some-of-its-limits-answered',
    'setLimits',
    ([now, ...rest], [before]) => [(before as Limits).maxTxs === (now as Limits).maxTxs ? before : now, ...rest],
    pools,
  ),
  priority.ordered('evicted-in-its-call-told-twice', ['admit'], (events) => {
    const [first] = events;
    const isOwn = first?.kind === 'transaction' && first.previous.stage === 'Unknown' && first.stage === 'Dropped';
    return isOwn ? [{ ...first, stage: 'Pending', reason: null }, ...events] : events;
  }),
  priority.ordered('block-told-last', ['confirm'], (events) =>
    events.length > 2 ? [...events.slice(1), ...events.slice(0, 1)] : events,
  ),
  parted('spent-told-behind-the-confirmed', 'confirm', 'Dropped', 'last'),
  parted('swept-told-by-what-moved-them', 'sweep', 'Pending', 'first'),
];

const bad = 'ERR_MEMPOOL_INVALID';

/** What each verb answers where it takes bad input for none. */
const nothing = {
  reap: [],
  best: [],
  take: { claimId: 'none', owner: 'none', untilMs: 0, transactions: [] },
  extendClaim: { kind: 'ended' },
  release: [],
  drop: [],
  markInflight: [],
  sweep: { returned: [], woken: [], expired: [], evicted: [], more: false },
  since: { items: [], next: 0 },
  payloads: [],
  peekParked: [],
  stale: [],
  revise: [],
  setLimits: {},
  flush: 0,
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
  'protected',
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
  mended('bad-tips-taken-for-none', /\.verdict\.(tip|maxPriority|priority)$/, ({ verdict }) => ({
    verdict: { ...verdict, tip: undefined, maxPriority: undefined },
  })),
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
    const isGoodFloor = (value: unknown) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    const isLimit = (name: string) => /^(max|ttl|parked|replacement|eviction)/.test(name);
    return Object.fromEntries(
      Object.entries(options).filter(([name, value]) =>
        name === 'minPriority' ? isGoodFloor(value) : !isLimit(name) || isGood(value),
      ),
    );
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
  pools.around('limits-handed-out-as-they-are', {
    setLimits: async ({ store, given, notes: { patches } }) => {
      const kept = await store.setLimits(...given);
      patches.set('kept', kept);
      return kept;
    },
    receive: async ({ store, given, notes: { patches } }) => {
      await store.setLimits(patches.get('kept') ?? {});
      return store.receive(...given);
    },
  }),
  late('reaps-when-closed', 'reap', 'ERR_MEMPOOL_CLOSED'),
  late('flushes-when-aborted', 'flush', null),
];
