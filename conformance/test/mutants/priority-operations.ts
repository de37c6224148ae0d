import type { MempoolStore, ReceiveOutcome, StoreEvent, WriteOptions } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { isRefusal } from './priority-admission.ts';
import { priority, type RankedVerb } from './priority-pool.ts';
import { pools } from './stores.ts';

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
    return { [verb]: named } as Partial<MempoolStore>;
  });
}

/** An id is answered as if it had come with the arguments that it came with first, where this says so. */
function withFirst<V extends 'revise' | 'setLimits'>(
  id: string,
  verb: V,
  isSame: (before: Parameters<MempoolStore[V]>[0], now: Parameters<MempoolStore[V]>[0]) => boolean,
): Mutant {
  return pools.plant(id, (store) => {
    const known = new Map<string, Parameters<MempoolStore[V]>[0]>();
    const answered = (first: Parameters<MempoolStore[V]>[0], options?: WriteOptions) => {
      const { operationId = '' } = options ?? {};
      if (operationId !== '' && !known.has(operationId)) known.set(operationId, first);
      const before = known.get(operationId);
      return (store[verb] as Call)(before !== undefined && isSame(before, first) ? before : first, options);
    };
    return { [verb]: answered } as Partial<MempoolStore>;
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
  const isOf = (event: StoreEvent) => event.kind === 'transaction' && event.stage === stage;
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
  toRepeats('recorded-limits-lose-the-endless', 'setLimits', (set) => JSON.parse(JSON.stringify(set))),
  withFirst('id-of-other-revisions-answered', 'revise', () => true),
  withFirst('id-of-some-of-its-limits-answered', 'setLimits', (before, now) => before.maxTxs === now.maxTxs),
  priority.ordered('evicted-in-its-call-told-twice', ['admit'], (events) => {
    const [first] = events;
    const isOwn = first?.kind === 'transaction' && first.previous.stage === 'Unknown' && first.stage === 'Dropped';
    return isOwn ? [{ ...first, stage: 'Pending', reason: null }, ...events] : events;
  }),
  priority.ordered('block-told-last', ['confirm'], (events) =>
    events.length > 2 ? [...events.slice(1), ...events.slice(0, 1)] : events,
  ),
  parted('spent-told-behind-the-confirmed', 'confirm', 'Dropped', 'last'),
  parted('swept-told-by-what-moved-them', 'sweep', 'RolledBack', 'first'),
];
