import type {
  ChainOptions,
  ConfirmOutcome,
  Lease,
  MempoolStore,
  Ordering,
  RollbackOutcome,
  RollbackTarget,
} from 'mempool-core';
import { isFenced } from 'mempool-core/backend';
import { moment } from '../planted/fault.ts';
import { changing } from './events.ts';
import { electing, type Hall } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { Layer, type Notes } from './operators.ts';
import { again } from './through.ts';

interface Site {
  readonly store: MempoolStore;
  readonly hall: Hall;
}
type GuardedLayer = Layer<MempoolStore, Site>;

const guardedBy = (ordering: Ordering): GuardedLayer =>
  new Layer((id, fault) => electing(id, { ordering, pool: (store, hall) => fault(store, { store, hall }) }));

/** Faults in a pool, above its fence. */
export const guarded: GuardedLayer = guardedBy('fifo');
export const guardedPriority: GuardedLayer = guardedBy('priority');

/** A call that only a leader may make. */
export interface Leading extends Site {
  readonly options: ChainOptions;
  readonly notes: Notes;
  readonly call: (options: ChainOptions) => Promise<ConfirmOutcome | RollbackOutcome>;
}

export const leaderOf = ({ source }: Hall): Lease | null => source.held('watcher');

/** X6: the verbs that only a leader may use, made in another way. */
export function leading(
  layer: GuardedLayer,
  id: string,
  run: (at: Leading) => object | Promise<object>,
  verbs: readonly ('confirm' | 'rollback')[] = ['confirm', 'rollback'],
): Mutant {
  return layer.every(id, verbs, ({ store, hall, verb, given, notes }) => {
    const at = verb === 'confirm' ? 2 : 1;
    const before = [given[0], ...(verb === 'confirm' ? [given[1]] : [])];
    const call = (options: ChainOptions) => again(store, verb, [...before, options]);
    return run({ store, hall, notes, options: (given[at] ?? {}) as ChainOptions, call: call as Leading['call'] });
  });
}

/** Told as fenced by a lease that ran out while the call was made. */
export async function fencedLate({ call, options, hall }: Leading): Promise<object> {
  const outcome = await call(options);
  return isFenced(leaderOf(hall), options.lease ?? null, false) ? { kind: 'fenced', tip: outcome.tip } : outcome;
}

export async function renewing({ call, options, hall }: Leading): Promise<object> {
  const outcome = await call(options);
  if (outcome.kind === 'fenced') hall.source.extend('watcher');
  return outcome;
}

/** What the fence said as the call came in is what counts, however long the call waits for its turn. */
export async function fencedAtTheDoor({ call, options, hall }: Leading): Promise<object> {
  if (isFenced(leaderOf(hall), options.lease ?? null, false)) return call(options);
  await moment();
  return call({ ...options, lease: leaderOf(hall) ?? undefined });
}

/** Halls in which a rollback is under way. */
const undoing = new WeakSet<Hall>();

/** A lease that some rollbacks do not renew. */
export function unrenewing(id: string, ordering: Ordering, which: (target: RollbackTarget) => boolean): Mutant {
  return electing(id, {
    ordering,
    source: (source, hall) => ({ extend: (name) => (undoing.has(hall) ? undefined : source.extend(name)) }),
    pool: (store, hall) => ({
      async rollback(point, options) {
        if (which(point)) undoing.add(hall);
        try {
          return await store.rollback(point, options);
        } finally {
          undoing.delete(hall);
        }
      },
    }),
  });
}

type Passes = (given: Lease | undefined, held: Lease | null, hall: Hall) => unknown;

/** Lets a call through as the holder's where `passes` says so. */
function fencedBy(id: string, passes: Passes, verbs?: readonly ('confirm' | 'rollback')[]): Mutant {
  const run = ({ call, options, hall }: Leading) => {
    const held = leaderOf(hall);
    return call(passes(options.lease, held, hall) ? { ...options, lease: held ?? undefined } : options);
  };
  return leading(guarded, id, run, verbs);
}

const passing: readonly Mutant[] = [
  fencedBy('fence-by-term', (given, held) => held && given && given.term >= held.term),
  fencedBy('fence-by-an-older-term', (given, held) => held && given && given.term <= held.term),
  fencedBy('fence-by-node-alone', (given, held) => held?.nodeId === given?.nodeId),
  fencedBy('fence-by-token-alone', (given, held) => held?.token === given?.token),
  fencedBy(
    'fence-by-the-beginning-of-the-node',
    (given, held) =>
      held && given?.nodeId.startsWith(held.nodeId) && given.token === held.token && given.term === held.term,
  ),
  fencedBy(
    'fence-by-the-token-in-any-case',
    (given, held) =>
      held && given?.token.toLowerCase() === held.token && given.nodeId === held.nodeId && given.term === held.term,
  ),
  fencedBy('fence-whatever-the-node', (given, held) => held?.token === given?.token && held?.term === given?.term),
  fencedBy('fence-whatever-the-token', (given, held) => held?.nodeId === given?.nodeId && held?.term === given?.term),
  fencedBy('no-lease-passes', (given) => given === undefined),
  fencedBy('anything-passes-where-nobody-leads', (given, held) => held === null && given),
  fencedBy('what-ran-out-passes', (given, held, { last }) => held === null && given?.token === last?.token),
  fencedBy(
    'what-was-released-passes',
    (given, held, { first }) => held === null && first && given?.token === first.token,
  ),
  fencedBy('what-was-taken-passes', (given, _, { first }) => given && given.token === first?.token),
  fencedBy('confirm-passes', () => true, ['confirm']),
  fencedBy('rollback-passes', () => true, ['rollback']),
  electing('fence-without-expiry', { source: (source, hall) => ({ held: (name) => source.held(name) ?? hall.last }) }),
  electing('first-leader-for-ever', {
    source: (source, hall) => ({ held: (name) => source.held(name) && hall.first }),
  }),
  electing('one-lease-for-all-pools', { hallOf: () => 'all' }),
  electing('released-is-held', { source: (source, hall) => ({ held: (name) => source.held(name) ?? hall.first }) }),
  electing('always-demanding', { options: (options) => ({ ...options, fenced: true }) }),
  electing('demand-ignored', { options: ({ fenced: _, ...options }) => options }),
  leading(guarded, 'the-leader-is-fenced', ({ call, options, hall }) => {
    const held = leaderOf(hall);
    return call(held === null ? options : { ...options, lease: { ...held, token: 'of-another-one' } });
  }),
];

/** What is fenced has an effect all the same. */
const leaking: readonly Mutant[] = [
  leading(guarded, 'fenced-but-applied', async ({ call, options, hall }) => {
    const outcome = await call(options);
    if (outcome.kind === 'fenced') await call({ ...options, lease: leaderOf(hall) ?? undefined });
    return outcome;
  }),
  leading(guarded, 'fenced-tells-no-tip', async ({ call, options }) => {
    const outcome = await call(options);
    return outcome.kind === 'fenced' ? { ...outcome, tip: { point: null, tick: 0 } } : outcome;
  }),
  leading(guarded, 'fenced-is-recorded', async ({ call, options, notes: { patches } }) => {
    const { operationId = '' } = options;
    const outcome = patches.get(operationId) ?? (await call(options));
    if (operationId !== '' && 'kind' in outcome && outcome.kind === 'fenced') patches.set(operationId, outcome);
    return outcome;
  }),
  leading(guarded, 'fence-before-the-operation', fencedLate),
  electing('confirm-without-renewal', { source: () => ({ extend: () => undefined }) }),
  electing('confirm-moves-seq', {
    source: (_, hall) => ({
      extend() {
        const held = leaderOf(hall);
        const candidate = { nodeId: held?.nodeId ?? '', address: null, priority: 0 };
        if (held !== null) void hall.open().renew(held, { candidate, ttlMs: 60_000, heartbeat: 'still' });
      },
    }),
  }),
  leading(guarded, 'fenced-renews', renewing),
  leading(guarded, 'unmoved-renews', async ({ call, options, hall }) => {
    const outcome = await call(options);
    const isUnmoved = !['fenced', 'applied', 'rolled-back'].includes(outcome.kind);
    if (isUnmoved && options.lease !== undefined) hall.source.extend('watcher');
    return outcome;
  }),
  guarded.each('fenced-blocks-are-remembered', {
    confirm: ({ kind }, { given: [{ seen }], notes }) => {
      if (kind === 'fenced') for (const hash of seen) notes.hashes.add(hash);
    },
    receive: ({ kind, hash }, { notes }) => kind === 'received' && notes.hashes.has(hash) && { stage: 'Confirmed' },
  }),
  guarded.instead('everything-waits-for-the-leader', {
    markInflight: async ({ hall }) => leaderOf(hall) !== null && [],
  }),
];

/** The fence is asked at the wrong time, or its lease not renewed by each call that moves the tip. */
const timing: readonly Mutant[] = [
  leading(guarded, 'fence-at-the-door', fencedAtTheDoor),
  leading(guarded, 'fence-at-the-door-for-the-leader', (at) =>
    at.options.lease === undefined ? at.call(at.options) : fencedAtTheDoor(at),
  ),
  leading(guarded, 'fence-at-the-door-while-nobody-leads', (at) =>
    at.options.lease === undefined ? fencedAtTheDoor(at) : at.call(at.options),
  ),
  unrenewing('rollback-without-renewal', 'fifo', () => true),
  unrenewing('rollback-of-all-without-renewal', 'fifo', (target) => target === 'origin'),
  unrenewing('rollback-of-some-without-renewal', 'fifo', (target) => target !== 'origin'),
];

/** X6. */
const nameless = guarded.around('block-names-no-leader', {
  subscribe: async ({ store, given }) =>
    changing(await store.subscribe(...given), (event) => [
      event.kind === 'block' ? { ...event, nodeId: null, term: null } : event,
    ]),
});

export const fencingMutants: readonly Mutant[] = [...passing, ...leaking, ...timing, nameless];
