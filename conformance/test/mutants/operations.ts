import { setImmediate as turn } from 'node:timers/promises';
import { type AnyStore, isMempoolError, MempoolError, type MempoolStore, type WriteOptions } from 'mempool-core';
import { decodeOutcome, encodeOutcome, invalid } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { VerbOf } from './operators.ts';
import { free, type WriteVerb } from './planted-driver.ts';
import { pools, stores } from './store-operators.ts';
import { again, withOptions, writeVerbs } from './through.ts';

/** A call of a verb that writes. */
interface Written {
  readonly store: MempoolStore;
  readonly verb: WriteVerb;
  readonly id: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Made again, under this id. */
  readonly call: (id: string | undefined) => Promise<unknown>;
}

/** Every verb that writes, made in another way. */
function around(id: string, make: () => (at: Written) => Promise<unknown>): Mutant {
  return stores.plant(id, (store) => writing(store, make()));
}

function writing(store: MempoolStore, run: (at: Written) => Promise<unknown>): Partial<MempoolStore> {
  const made = (verb: WriteVerb, given: readonly unknown[]): Promise<unknown> => {
    const options = given.find((one): one is WriteOptions => typeof one === 'object' && one !== null && isOptions(one));
    const call = (operationId: string | undefined) =>
      again(
        store,
        verb,
        withOptions(given, () => ({ operationId })),
      );
    return run({ store, verb, id: options?.operationId, signal: options?.signal, call });
  };
  return Object.fromEntries(writeVerbs.map((verb) => [verb, (...given: unknown[]) => made(verb, given)]));
}

const isOptions = (one: object): boolean => 'operationId' in one || 'signal' in one;

/** The same for calls with an id, with what is remembered by it. */
function named(
  id: string,
  run: (at: Written & { readonly id: string }, records: Map<string, unknown>) => unknown,
): Mutant {
  return around(id, () => {
    const records = new Map<string, unknown>();
    return async (at) => (at.id === undefined ? at.call(undefined) : run({ ...at, id: at.id }, records));
  });
}

/** Answers an id from its record whatever the call that repeats it is about. */
function unasked(id: string, verbs: readonly WriteVerb[]): Mutant {
  return named(id, async ({ verb, id: operationId, call }, records) => {
    try {
      const outcome = await call(operationId);
      if (verbs.includes(verb)) records.set(own(verb, operationId), outcome);
      return outcome;
    } catch (error) {
      const record = records.get(own(verb, operationId));
      if (record === undefined || !isMempoolError(error, 'ERR_MEMPOOL_INVALID')) throw error;
      return record;
    }
  });
}

/** Keeps records of its own instead of the store's. */
function recording(
  id: string,
  isKept: (outcome: unknown) => boolean,
  key: (verb: WriteVerb, id: string) => string = own,
): Mutant {
  return named(id, async ({ verb, id: operationId, call }, records) => {
    const known = records.get(key(verb, operationId));
    if (known !== undefined) return decodeOutcome(verb, known as Uint8Array);
    const outcome = await call(undefined);
    if (isKept(outcome)) records.set(key(verb, operationId), encodeOutcome(verb, outcome));
    return outcome;
  });
}

/** Keeps the record under what becomes of the id. */
function filed(id: string, name: (operationId: string, verb: WriteVerb) => string | undefined): Mutant {
  return named(id, (at) => at.call(name(at.id, at.verb)));
}

/** An id is used up by a call that did nothing. */
function used(id: string, isUsed: (at: Written, call: Promise<unknown>) => Promise<boolean>): Mutant {
  return named(id, async (at, records) => {
    if (records.has(at.id)) return [];
    const calling = at.call(at.id);
    if (await isUsed(at, calling)) records.set(at.id, null);
    return calling;
  });
}

const own = (verb: WriteVerb, id: string): string => `${verb} ${id}`;
const always = (): boolean => true;

/** X2. */
export const operationMutants: readonly Mutant[] = [
  unasked('id-of-other-transactions-answered', ['receive']),
  around('reuse-names-hashes-of-every-verb', () => async ({ call, id }) => {
    try {
      return await call(id);
    } catch (error) {
      if (!isMempoolError(error) || error.details.field !== 'operationId') throw error;
      throw new MempoolError(error.code, error.message, { hashes: [], ...error.details });
    }
  }),
  unasked('id-of-other-drops-answered', ['drop']),
  unasked('id-of-another-block-answered', ['confirm']),
  unasked('id-of-another-target-answered', ['rollback']),
  ...writeVerbs.map((only) => filed(`${only}-records-nothing`, (id, verb) => (verb === only ? undefined : id))),
  filed('ids-by-their-first-64-characters', (id) => id.slice(0, 64)),
  filed('ids-by-their-last-64-characters', (id) => id.slice(-64)),
  filed('ids-without-the-128th-character', (id) => id.slice(0, 127)),
  filed('ids-in-lower-case', (id) => id.toLowerCase()),
  filed('ids-trimmed', (id) => id.trim() || '-'),
  filed('ids-as-numbers', (id) => (Number.isNaN(Number(id)) ? id : `${Number(id)}`)),
  filed('ids-cleaned', (id) => id.replace(/[^A-Za-z0-9]/g, '-')),
  named('retried-receive-is-judged-by-the-state', async ({ store, verb, id, call }) => {
    const before = (await store.usage()).lastEventSeq;
    const outcome = await call(id);
    if (verb !== 'receive' || (await store.usage()).lastEventSeq > before) return outcome;
    return (outcome as { hash: string }[]).map(({ hash }) => ({ kind: 'duplicate', hash, stage: 'Pending' }));
  }),
  recording('id-of-another-verb-is-another-id', always),
  recording('ids-trimmed-of-blanks', always, (_, id) => id.trim()),
  recording('ids-cut-at-64', always, (_, id) => id.slice(0, 64)),
  named('id-of-128-refused', ({ id, call }) => (id.length > 127 ? Promise.reject(new Error('too long')) : call(id))),
  used('aborted-call-uses-the-id', async ({ signal }) => signal?.aborted ?? false),
  named('remembers-a-thousand-ids', ({ id, call }, records) => {
    if (!records.has(id)) records.set(id, records.size);
    const place = records.size - 1 - (records.get(id) as number);
    return call(place < 1_000 ? id : `again-${id}`);
  }),
  fifo.around('looks-up-and-records-in-two-steps', {
    receive: async ({ pool, given: [transactions, { operationId: id = '' } = free], notes: { patches } }) => {
      const known = patches.get(id);
      await turn();
      const outcome = known ?? pool.receive(transactions);
      if (id !== '') patches.set(id, outcome);
      return outcome;
    },
  }),
];

const everywhere = new Map<string, unknown>();
const users = new Set<MempoolStore>();

/** X2, N2: the records of all open pools in one place. */
export const sharedRecordMutants: readonly Mutant[] = [
  stores.plant('records-of-all-pools-in-one', (store) => {
    users.add(store);
    const run = async ({ id, call }: Written) => {
      if (id !== undefined && everywhere.has(id)) return structuredClone(everywhere.get(id));
      const outcome = await call(id);
      if (id !== undefined) everywhere.set(id, structuredClone(outcome));
      return outcome;
    };
    const close = () => {
      users.delete(store);
      if (users.size === 0) everywhere.clear();
      return store.close();
    };
    return { ...writing(store, run), close };
  }),
];

type Call = readonly unknown[];

/** An id is not bound to one argument: a repeat is made with that of the first call with the id. */
export function unbound(
  id: string,
  verb: VerbOf<AnyStore>,
  mix: (now: Call, before: Call) => Call,
  layer: typeof stores = stores,
): Mutant {
  return layer.every(id, [verb], ({ store, given, notes: { known } }) => {
    const all: Call = given;
    const named = all.map((one) => (one as WriteOptions | undefined)?.operationId).find((one) => one !== undefined);
    if (named === undefined) return again(store, verb, all);
    const before = (known.get(named) ?? all) as Call;
    known.set(named, before);
    return again(store, verb, mix(all, before));
  });
}

/** The same for one field of the argument at this place, or of each of a list. */
function unboundField(id: string, verb: VerbOf<AnyStore>, at: number, field: string, layer = stores): Mutant {
  const mixed = (now: unknown, before: unknown): unknown => {
    if (Array.isArray(now)) return now.map((one, i) => mixed(one, (before as unknown[])[i] ?? one));
    const { [field]: _, ...rest } = now as Record<string, unknown>;
    const first = (before as Record<string, unknown>)[field];
    return first === undefined ? rest : { ...rest, [field]: first };
  };
  return unbound(id, verb, (now, before) => now.map((one, i) => (i === at ? mixed(one, before[i]) : one)), layer);
}

/** The same for a whole argument. */
export function unboundArgument(id: string, verb: VerbOf<AnyStore>, at: number, layer = stores): Mutant {
  return unbound(id, verb, (now, before) => now.map((one, i) => (i === at ? before[i] : one)), layer);
}

/** X2: an operation id that is used again with other arguments. */
export const operationArgumentMutants: readonly Mutant[] = [
  unboundField('id-of-another-payload-answered', 'receive', 0, 'payload'),
  unboundField('id-of-another-type-answered', 'receive', 0, 'payloadType'),
  unboundArgument('id-of-another-reason-answered', 'drop', 1),
  unboundArgument('id-of-another-policy-answered', 'confirm', 1),
  ...['parent', 'seen', 'unseen'].map((field) => unboundField(`id-of-another-${field}-answered`, 'confirm', 0, field)),
  unbound('id-of-another-order-answered', 'markInflight', ([now, ...rest], [before]) => {
    const [hashes, first] = [now, before] as [string[], string[]];
    return [first.every((hash) => hashes.includes(hash)) ? first : hashes, ...rest];
  }),
  unboundArgument('id-that-moved-nothing-answered', 'markAcknowledged', 0),
  stores.plant('id-of-another-slot-answered', (store) => {
    const slots = new Map<string, number>();
    const first = <P extends { readonly slot: number; readonly hash: string }>(point: P, id: string | undefined): P => {
      const key = `${id} ${point.hash}`;
      if (!slots.has(key)) slots.set(key, point.slot);
      return id === undefined ? point : { ...point, slot: slots.get(key) ?? point.slot };
    };
    return {
      confirm: (block, policy, options) =>
        store.confirm({ ...block, point: first(block.point, options?.operationId) }, policy, options),
      rollback: (target, options) =>
        store.rollback(target === 'origin' ? target : first(target, options?.operationId), options),
    };
  }),
  stores.plant('forgets-all-ids-at-the-ten-thousandth', (store) => {
    const ids = new Set<string>();
    let emptied = 0;
    const renamed = <T extends WriteOptions>(options: T | undefined): T | undefined => {
      const id = options?.operationId;
      if (id === undefined) return options;
      if (!ids.has(id) && ids.size === 10_000) {
        ids.clear();
        emptied += 1;
      }
      ids.add(id);
      return emptied === 0 ? options : { ...(options as T), operationId: `${id} ${emptied}` };
    };
    return {
      receive: (batch, options) => store.receive(batch, renamed(options)),
      markInflight: (hashes, options) => store.markInflight(hashes, renamed(options)),
    };
  }),
  stores.caught('first-transactions-not-told', ['receive'], 'ERR_MEMPOOL_INVALID', ({ details }) => {
    throw invalid(details.field ?? '', 'another one');
  }),
];

/** P14, P18: the same of pools with claims and limits. */
export const poolArgumentMutants: readonly Mutant[] = [
  unboundArgument('id-of-another-budget-answered', 'take', 0, pools),
  unboundField('id-of-another-owner-answered', 'take', 1, 'owner', pools),
  unboundField('id-of-another-claim-time-answered', 'take', 1, 'claimMs', pools),
  unboundField('id-of-other-tags-answered-of-a-priority-pool', 'confirm', 0, 'provides', pools),
  unboundField('id-of-fewer-limits-answered-of-a-priority-pool', 'setLimits', 0, 'maxBytes', pools),
  pools.given('id-bound-to-the-verdict', {
    receive: (batch, { given: [, options], notes: { known } }) => {
      const { operationId = '', ...moment } = options ?? {};
      const judged = batch.map(({ verdict, from }) => [from, String(verdict?.priority)]);
      const text = JSON.stringify([judged, moment]);
      if (operationId !== '' && (known.get(operationId) ?? text) !== text)
        return Promise.reject(invalid('operationId', 'a new one'));
      known.set(operationId, text);
      return null;
    },
  }),
];
