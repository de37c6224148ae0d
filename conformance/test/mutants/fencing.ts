import type {
  ChainPoint,
  ConfirmOutcome,
  Lease,
  MempoolStore,
  Ordering,
  ReceiveOutcome,
  RollbackOutcome,
} from 'mempool-core';
import { isFenced } from 'mempool-core/backend';
import { moment } from '../planted/fault.ts';
import { electing, type Hall } from './hall.ts';
import type { Mutant } from './mutant.ts';

const election = 'watcher';
type Options = Parameters<MempoolStore['rollback']>[1];
type Chain = Pick<MempoolStore, 'confirm' | 'rollback'>;

/** A fault in a pool, above its fence. */
function guarded(id: string, pool: (store: MempoolStore, hall: Hall) => Partial<MempoolStore>): Mutant {
  return electing(id, { pool });
}

/** Both verbs that only a leader may use, with changed options. */
function withOptions(store: MempoolStore, change: (options: Options) => Options): Chain {
  return {
    confirm: (block, policy, options) => store.confirm(block, policy, change(options)),
    rollback: (point, options) => store.rollback(point, change(options)),
  };
}

/** Lets a call through as the holder's where `passes` says so. */
function fencedBy(
  id: string,
  passes: (given: Lease | undefined, held: Lease | null, hall: Hall) => boolean,
  verbs: readonly (keyof Chain)[] = ['confirm', 'rollback'],
): Mutant {
  return guarded(id, (store, hall) => {
    const all = withOptions(store, (options) => {
      const held = hall.source.held(election);
      if (!passes(options?.lease, held, hall)) return options;
      return { ...options, lease: held ?? undefined };
    });
    return Object.fromEntries(verbs.map((verb) => [verb, all[verb]]));
  });
}

/** Each call and what it answers. */
function answered(
  id: string,
  change: <T extends ConfirmOutcome | RollbackOutcome>(
    call: (options: Options) => Promise<T>,
    options: Options,
    hall: Hall,
  ) => Promise<T>,
): Mutant {
  return guarded(id, (store, hall) => ({
    confirm: (block, policy, options) => change((given) => store.confirm(block, policy, given), options, hall),
    rollback: (point, options) => change((given) => store.rollback(point, given), options, hall),
  }));
}

const passing: readonly Mutant[] = [
  fencedBy('fence-by-term', (given, held) => held !== null && given !== undefined && given.term >= held.term),
  fencedBy('fence-by-an-older-term', (given, held) => held !== null && given !== undefined && given.term <= held.term),
  fencedBy('fence-by-node-alone', (given, held) => held?.nodeId === given?.nodeId),
  fencedBy('fence-by-token-alone', (given, held) => held?.token === given?.token),
  fencedBy('fence-by-the-beginning-of-the-node', (given, held) =>
    Boolean(held && given?.nodeId.startsWith(held.nodeId) && given.token === held.token && given.term === held.term),
  ),
  fencedBy('fence-by-the-token-in-any-case', (given, held) =>
    Boolean(
      held && given?.token.toLowerCase() === held.token && given.nodeId === held.nodeId && given.term === held.term,
    ),
  ),
  fencedBy('fence-whatever-the-node', (given, held) => held?.token === given?.token && held?.term === given?.term),
  fencedBy('fence-whatever-the-token', (given, held) => held?.nodeId === given?.nodeId && held?.term === given?.term),
  fencedBy('no-lease-passes', (given) => given === undefined),
  fencedBy('anything-passes-where-nobody-leads', (given, held) => held === null && given !== undefined),
  fencedBy('what-ran-out-passes', (given, held, { last }) => held === null && given?.token === last?.token),
  fencedBy(
    'what-was-released-passes',
    (given, held, { first }) => held === null && first !== null && given?.token === first.token,
  ),
  fencedBy('what-was-taken-passes', (given, _, { first }) => given !== undefined && given.token === first?.token),
  fencedBy('confirm-passes', () => true, ['confirm']),
  fencedBy('rollback-passes', () => true, ['rollback']),
  electing('fence-without-expiry', {
    source: (source, hall) => ({ held: (name) => source.held(name) ?? hall.last }),
  }),
  electing('first-leader-for-ever', {
    source: (source, hall) => ({ held: (name) => (source.held(name) === null ? null : hall.first) }),
  }),
  electing('one-lease-for-all-pools', { hallOf: () => 'all' }),
  electing('released-is-held', { source: (source, hall) => ({ held: (name) => source.held(name) ?? hall.first }) }),
  electing('always-demanding', { options: (options) => ({ ...options, fenced: true }) }),
  electing('demand-ignored', { options: ({ fenced: _, ...options }) => options }),
  answered('the-leader-is-fenced', async (call, options, hall) => {
    const held = hall.source.held(election);
    const wrong = held && { ...held, token: 'of-another-one' };
    return call(held === null ? options : { ...options, lease: wrong ?? undefined });
  }),
];

/** What is fenced has an effect all the same. */
const leaking: readonly Mutant[] = [
  answered('fenced-but-applied', async (call, options, hall) => {
    const outcome = await call(options);
    if (outcome.kind === 'fenced') await call({ ...options, lease: hall.source.held(election) ?? undefined });
    return outcome;
  }),
  answered('fenced-tells-no-tip', async (call, options) => {
    const outcome = await call(options);
    return outcome.kind === 'fenced' ? { ...outcome, tip: { point: null, tick: 0 } } : outcome;
  }),
  guarded('fenced-is-recorded', (store) => {
    const records = new Map<string, unknown>();
    const recording = async <T extends { readonly kind: string }>(
      options: Options,
      call: () => Promise<T>,
    ): Promise<T> => {
      const id = options?.operationId ?? '';
      const known = records.get(id) as T | undefined;
      const outcome = known ?? (await call());
      if (id !== '' && outcome.kind === 'fenced') records.set(id, outcome);
      return outcome;
    };
    return {
      confirm: (block, policy, options) => recording(options, () => store.confirm(block, policy, options)),
      rollback: (point, options) => recording(options, () => store.rollback(point, options)),
    };
  }),
  answered('fence-before-the-operation', async (call, options, hall) => {
    const outcome = await call(options);
    const isLate = isFenced(hall.source.held(election), options?.lease ?? null, false);
    return isLate ? ({ kind: 'fenced', tip: outcome.tip } as typeof outcome) : outcome;
  }),
  electing('confirm-without-renewal', { source: () => ({ extend: () => undefined }) }),
  electing('confirm-moves-seq', {
    source: (_, hall) => ({
      extend() {
        const held = hall.source.held(election);
        const candidate = { nodeId: held?.nodeId ?? '', address: null, priority: 0 };
        if (held !== null) void hall.open().renew(held, { candidate, ttlMs: 60_000, heartbeat: 'still' });
      },
    }),
  }),
  answered('fenced-renews', async (call, options, hall) => {
    const outcome = await call(options);
    if (outcome.kind === 'fenced') hall.source.extend(election);
    return outcome;
  }),
  answered('unmoved-renews', async (call, options, hall) => {
    const outcome = await call(options);
    const isUnmoved = outcome.kind !== 'fenced' && outcome.kind !== 'applied' && outcome.kind !== 'rolled-back';
    if (isUnmoved && options?.lease !== undefined) hall.source.extend(election);
    return outcome;
  }),
  guarded('duplicates-before-the-fence', (store) => ({
    async confirm(block, policy, options) {
      const { points, ...tip } = await store.tip({ points: 9 });
      const isKnown = points?.some(({ hash }) => hash === block.point.hash);
      return isKnown ? { kind: 'duplicate', tip } : store.confirm(block, policy, options);
    },
  })),
  guarded('gaps-before-the-fence', (store) => ({
    async confirm(block, policy, options) {
      const tip = await store.tip();
      const isGap =
        block.parent !== undefined && block.parent !== tip.point?.hash && tip.point?.hash !== block.point.hash;
      return isGap ? { kind: 'gap', tip } : store.confirm(block, policy, options);
    },
  })),
  guarded('unchanged-before-the-fence', (store) => ({
    async rollback(point, options) {
      const tip = await store.tip();
      return point?.hash === tip.point?.hash ? { kind: 'unchanged', tip } : store.rollback(point, options);
    },
  })),
  guarded('fenced-blocks-are-remembered', (store) => {
    const sighted = new Set<string>();
    return {
      async confirm(block, policy, options) {
        const outcome = await store.confirm(block, policy, options);
        if (outcome.kind === 'fenced') for (const hash of block.seen) sighted.add(hash);
        return outcome;
      },
      async receive(batch, options) {
        const confirmed = (one: ReceiveOutcome): ReceiveOutcome =>
          one.kind === 'received' && sighted.has(one.hash) ? { ...one, stage: 'Confirmed' } : one;
        return (await store.receive(batch, options)).map(confirmed);
      },
    };
  }),
  guarded('everything-waits-for-the-leader', (store, hall) => ({
    markInflight: async (hashes, options) =>
      hall.source.held(election) === null ? store.markInflight(hashes, options) : [],
  })),
];

/** What the fence said as the call came in is what counts, however long the call waits for its turn. */
export async function fencedAtTheDoor<T extends { readonly kind: string }>(
  call: (options: Options) => Promise<T>,
  options: Options,
  { source }: Hall,
): Promise<T> {
  if (isFenced(source.held(election), options?.lease ?? null, false)) return call(options);
  await moment();
  return call({ ...options, lease: source.held(election) ?? undefined });
}

/** Halls in which a rollback is under way. */
const undoing = new WeakSet<Hall>();

/** A lease that some rollbacks do not renew. */
export function unrenewing(id: string, ordering: Ordering, which: (point: ChainPoint | null) => boolean): Mutant {
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

/** The fence is asked at the wrong time, or its lease not renewed by each call that moves the tip. */
const timing: readonly Mutant[] = [
  answered('fence-at-the-door', fencedAtTheDoor),
  answered('fence-at-the-door-for-the-leader', (call, options, hall) =>
    options?.lease === undefined ? call(options) : fencedAtTheDoor(call, options, hall),
  ),
  answered('fence-at-the-door-while-nobody-leads', (call, options, hall) =>
    options?.lease === undefined ? fencedAtTheDoor(call, options, hall) : call(options),
  ),
  unrenewing('rollback-without-renewal', 'fifo', () => true),
  unrenewing('rollback-of-all-without-renewal', 'fifo', (point) => point === null),
  unrenewing('rollback-of-some-without-renewal', 'fifo', (point) => point !== null),
];

/** X6. */
export const fencingMutants: readonly Mutant[] = [...passing, ...leaking, ...timing];
