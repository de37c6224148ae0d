import type { MempoolStore, ReceiveOutcome } from 'mempool-core';
import type { Step } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { isRefusal } from './priority-admission.ts';
import { type RankedVerb, rankedStore, ranking, settling } from './priority-pool.ts';

const ownVerbs = [
  ['admit', 'receive'],
  ['revise', 'revise'],
  ['sweep', 'sweep'],
  ['flush', 'flush'],
  ['setLimits', 'setLimits'],
] as const;

const unrecorded = (step: Step<unknown>): Step<unknown> => ({ ...step, operation: null });

/** A repeat is a new call. */
function notRecorded([driverVerb, verb]: (typeof ownVerbs)[number]): Mutant {
  return settling(`${verb}-not-recorded`, [driverVerb], unrecorded);
}

/** Only the last call is known again. */
function lastAlone([driverVerb, verb]: (typeof ownVerbs)[number]): Mutant {
  return ranking(`${verb}-known-until-the-next-call`, (driver) => {
    const ids = new Map<string, string>();
    let [made, last] = [0, ''];
    const verbs: readonly RankedVerb[] = ['admit', 'drop', 'setLimits', driverVerb];
    const noted = (name: RankedVerb) => {
      const call = driver[name] as (...given: unknown[]) => unknown;
      return (...given: unknown[]) => {
        const context = given.at(-1) as { readonly operationId?: string | undefined };
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
function ownIds([, verb]: (typeof ownVerbs)[number]): Mutant {
  return rankedStore(`${verb}-with-ids-of-its-own`, (store) => {
    const call = store[verb].bind(store) as (...given: unknown[]) => Promise<unknown>;
    const at = verb === 'flush' || verb === 'sweep' ? 0 : 1;
    return {
      [verb]: (...given: unknown[]) => {
        const options = given[at] as { readonly operationId?: string } | undefined;
        if (options?.operationId === undefined) return call(...given);
        return call(...given.slice(0, at), { ...options, operationId: `${verb} ${options.operationId}` });
      },
    } as Partial<MempoolStore>;
  });
}

/** P14. */
export const poolOperationMutants: readonly Mutant[] = [
  ...ownVerbs.map(notRecorded),
  ...ownVerbs.map(lastAlone),
  ...ownVerbs.map(ownIds),
  settling('refusals-not-recorded', ['admit'], (step) =>
    (step.outcome as ReceiveOutcome[]).every(isRefusal) ? unrecorded(step) : step,
  ),
  rankedStore('recorded-without-parking', (store) => {
    const known = new Set<string>();
    return {
      receive: async (batch, options) => {
        const outcomes = await store.receive(batch, options);
        const isAgain = options?.operationId !== undefined && known.has(options.operationId);
        if (options?.operationId !== undefined) known.add(options.operationId);
        return outcomes.map((outcome) => {
          if (!isAgain || outcome.kind !== 'received') return outcome;
          const { parked: _, ...rest } = outcome;
          return rest;
        });
      },
    };
  }),
  rankedStore('recorded-limits-lose-the-endless', (store) => {
    const known = new Set<string>();
    return {
      setLimits: async (limits, options) => {
        const set = await store.setLimits(limits, options);
        const { operationId } = options ?? {};
        const isAgain = operationId !== undefined && known.has(operationId);
        if (operationId !== undefined) known.add(operationId);
        return isAgain ? JSON.parse(JSON.stringify(set)) : set;
      },
    };
  }),
  rankedStore('id-of-other-revisions-answered', (store) => {
    const known = new Map<string | undefined, Parameters<typeof store.revise>[0]>();
    return {
      revise(revisions, options) {
        const id = options?.operationId;
        if (id !== undefined && !known.has(id)) known.set(id, revisions);
        return store.revise(known.get(id) ?? revisions, options);
      },
    };
  }),
  rankedStore('id-of-some-of-its-limits-answered', (store) => {
    const known = new Map<string | undefined, Parameters<typeof store.setLimits>[0]>();
    return {
      setLimits(limits, options) {
        const id = options?.operationId;
        if (id !== undefined && !known.has(id)) known.set(id, limits);
        return store.setLimits(known.get(id)?.maxTxs === limits.maxTxs ? (known.get(id) ?? limits) : limits, options);
      },
    };
  }),
  settling('evicted-in-its-call-told-twice', ['admit'], (step, { ledger }) => {
    const [first] = step.events;
    if (first?.kind !== 'transaction' || first.previous.stage !== 'Unknown' || first.stage !== 'Dropped') return step;
    const arrival = { ...first, stage: 'Pending', reason: null } as const;
    const events = [arrival, ...step.events].map((event, i) => ({ ...event, eventSeq: ledger.lastEventSeq + 1 + i }));
    return { ...step, events };
  }),
  settling('block-told-last', ['confirm'], (step) => {
    const [block, ...rest] = step.events;
    if (block === undefined || rest.length < 2) return step;
    const events = [...rest, block].map((event, i) => ({ ...event, eventSeq: block.eventSeq + i }));
    return { ...step, events };
  }),
  settling('spent-told-behind-the-confirmed', ['confirm'], (step) => {
    const first = step.events[0]?.eventSeq ?? 0;
    const isSpent = (event: (typeof step.events)[number]) => event.kind === 'transaction' && event.stage === 'Dropped';
    const sorted = [...step.events.filter((one) => !isSpent(one)), ...step.events.filter(isSpent)];
    return { ...step, events: sorted.map((event, i) => ({ ...event, eventSeq: first + i })) };
  }),
  settling('swept-told-by-what-moved-them', ['sweep'], (step) => {
    const first = step.events[0]?.eventSeq ?? 0;
    const isBack = (event: (typeof step.events)[number]) =>
      event.kind === 'transaction' && event.stage === 'RolledBack';
    const sorted = [...step.events.filter(isBack), ...step.events.filter((one) => !isBack(one))];
    return { ...step, events: sorted.map((event, i) => ({ ...event, eventSeq: first + i })) };
  }),
];
