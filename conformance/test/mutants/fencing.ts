import type { ChainOptions, ConfirmOutcome, Lease, Ordering, RollbackOutcome } from 'mempool-core';
import { isFenced } from 'mempool-core/backend';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { moment } from '../planted/fault.ts';
import { changing } from './events.ts';
import { electing, type Hall } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { Layer, type Notes } from './operators.ts';
import { again } from './through.ts';

interface Site {
  readonly store: TestedPool;
  readonly hall: Hall;
}
type GuardedLayer = Layer<TestedPool, Site>;

const guardedBy = (ordering: Ordering): GuardedLayer =>
  new Layer((id, fault) => electing(id, { ordering, pool: (store, hall) => fault(store, { store, hall }) }));

/** Faults in a pool, above its fence. */
export const guarded: GuardedLayer = guardedBy('fifo');

/** A call that only a leader may make. */
interface Leading extends Site {
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

/** What the fence said as the call came in is what counts, however long the call waits for its turn. */
async function fencedAtTheDoor({ call, options, hall }: Leading): Promise<object> {
  if (isFenced(leaderOf(hall), options.lease ?? null, false)) return call(options);
  await moment();
  return call({ ...options, lease: leaderOf(hall) ?? undefined });
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
  fencedBy('no-lease-passes', (given) => given === undefined),
  electing('always-demanding', { options: (options) => ({ ...options, fenced: true }) }),
  leading(guarded, 'the-leader-is-fenced', ({ call, options, hall }) => {
    const held = leaderOf(hall);
    return call(held === null ? options : { ...options, lease: { ...held, token: 'of-another-one' } });
  }),
];

/** What is fenced has an effect all the same. */
const leaking: readonly Mutant[] = [
  electing('confirm-moves-seq', {
    source: (_, hall) => ({
      extend() {
        const held = leaderOf(hall);
        const candidate = { nodeId: held?.nodeId ?? '', address: null, priority: 0 };
        if (held !== null) void hall.open().renew(held, { candidate, ttlMs: 60_000, heartbeat: 'still' });
      },
    }),
  }),
  guarded.instead('everything-waits-for-the-leader', {
    markInflight: async ({ hall }) => leaderOf(hall) !== null && [],
  }),
];

/** The fence is asked at the wrong time, or its lease not renewed by each call that moves the tip. */
const timing: readonly Mutant[] = [leading(guarded, 'fence-at-the-door', fencedAtTheDoor)];

/** X6. */
const nameless = guarded.around('block-names-no-leader', {
  subscribe: async ({ store, given }) =>
    changing(await store.subscribe(...given), (event) => [
      event.kind === 'block' ? { ...event, nodeId: null, term: null } : event,
    ]),
});

export const fencingMutants: readonly Mutant[] = [...passing, ...leaking, ...timing, nameless];
