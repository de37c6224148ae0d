import type {
  ChainOptions,
  ChainPoint,
  ConfirmOutcome,
  Lease,
  MempoolStore,
  Ordering,
  RollbackOutcome,
} from 'mempool-core';
import { isFenced } from 'mempool-core/backend';
import { moment } from '../planted/fault.ts';
import { electing, type Hall } from './hall.ts';
import { Layer, type Notes } from './layer.ts';
import type { Mutant } from './mutant.ts';
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
