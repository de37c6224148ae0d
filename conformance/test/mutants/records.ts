import type { AnyStore, MempoolStore, OpenOptions, PutOptions, PutOutcome, RecordPage } from 'mempool-core';
import { anyStore } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { guarded, leaderOf } from './fencing.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { stores } from './store-operators.ts';

type Put = MempoolStore['putRecord'];

/** Every put made in another way. `remember`: a map of this pool's own. */
function putting(
  id: string,
  run: (put: Put, given: readonly [string, Uint8Array | null, PutOptions], remember: Map<string, unknown>) => unknown,
): Mutant {
  return stores.plant(id, (store) => {
    const remember = new Map<string, unknown>();
    const put: Put = (...given) => store.putRecord(...given);
    return {
      putRecord: async (name, value, options = {}) => (await run(put, [name, value, options], remember)) as PutOutcome,
    };
  });
}

/** K1. */
const versions: readonly Mutant[] = [
  stores.told('records-without-their-version', { getRecord: (found) => found && { version: 0 } }),
  stores.around('record-names-in-lower-case', {
    putRecord: ({ call, given: [name, ...rest] }) => call(name.toLowerCase(), ...rest),
    getRecord: ({ call, given: [name, ...rest] }) => call(name.toLowerCase(), ...rest),
  }),
  putting('empty-value-deletes', (put, [name, value, options]) =>
    put(name, value?.length === 0 ? null : value, options),
  ),
  putting('versions-of-each-name', async (put, [name, value, options], told) => {
    const outcome = await put(name, value, options);
    if (outcome.kind !== 'stored' || options.operationId !== undefined) return outcome;
    const version = ((told.get(name) as number | undefined) ?? 0) + 1;
    told.set(name, version);
    return { ...outcome, version: value === null ? 0 : version };
  }),
  putting('put-whatever-the-version', (put, [name, value, { version, ...options }]) =>
    put(name, value, version === 0 ? { ...options, version } : options),
  ),
  putting('conflict-tells-the-version-given', async (put, [name, value, options]) => {
    const outcome = await put(name, value, options);
    return outcome.kind === 'conflict' ? { kind: 'conflict', version: options.version ?? 0 } : outcome;
  }),
  putting('version-0-replaces', (put, [name, value, { version, ...options }]) =>
    put(name, value, version === 0 || version === undefined ? options : { ...options, version }),
  ),
  putting('deletion-of-nothing-is-a-conflict', async (put, [name, value, options], known) => {
    const missing = value === null && !known.has(name);
    if (value === null) known.delete(name);
    else known.set(name, true);
    return missing ? { kind: 'conflict', version: 0 } : put(name, value, options);
  }),
  putting('deleted-is-stored-empty', (put, [name, value, options]) => put(name, value ?? new Uint8Array(), options)),
  stores.unheard('puts-are-not-recorded', 'putRecord', 'operationId'),
  putting('ids-of-puts-are-their-own', (put, [name, value, { operationId, ...options }]) =>
    put(name, value, operationId === undefined ? options : { ...options, operationId: `put ${operationId}` }),
  ),
  stores.caught('id-of-another-put-answered', ['putRecord'], 'ERR_MEMPOOL_INVALID', (error) => {
    if (error.details.field === 'operationId') return { kind: 'stored', version: 1, at: 1 };
    throw error;
  }),
  stores.given('record-makes-an-event', {
    putRecord: async (_, { store }) => {
      const hash = '0e'.repeat(32);
      await store.receive([{ hash, payload: new Uint8Array(), payloadType: 0 }]);
      await store.drop([hash], 'failed');
    },
  }),
  stores.around('record-value-is-shared', {
    putRecord: ({ call, given, notes: { known } }) => {
      if (given[1] !== null) known.set(given[0], given[1]);
      return call(...given);
    },
    getRecord: async ({ call, given, notes: { known } }) => {
      const found = await call(...given);
      return found && { ...found, value: known.get(given[0]) ?? found.value };
    },
  }),
  putting('every-tenth-put-is-lost', (put, [name, value, options], seen) => {
    if (value === null || options.version !== undefined || options.operationId !== undefined)
      return put(name, value, options);
    seen.set(`${seen.size}`, name);
    return put(seen.size % 10 === 0 ? 'elsewhere' : name, value, options);
  }),
];

/** Puts for which the pool keeps no time: it opens with a clock that shows 1 while they run. */
function untimed(id: string, isMeant: (store: AnyStore, value: Uint8Array | null) => Promise<boolean>): Mutant {
  const open = async (options: OpenOptions = {}): Promise<MempoolStore> => {
    const { now = Date.now } = options;
    let isPutting = false;
    const store = anyStore(await ephemeral.open({ ...options, now: () => (isPutting ? 1 : now()) }));
    const putRecord: Put = async (name, value, put) => {
      isPutting = await isMeant(store, value);
      const outcome = await store.putRecord(name, value, put);
      const at = isPutting ? now() : 0;
      isPutting = false;
      return outcome.kind === 'stored' && at > 0 ? { ...outcome, at } : outcome;
    };
    return { name: id, capabilities: plainPool, ordering: store.ordering, ...verbsOf(store, storeVerbs), putRecord };
  };
  return mutant(id, { name: id, capabilities: plainPool, open });
}

/** E5. */
const times: readonly Mutant[] = [
  untimed('puts-keep-no-time', async () => true),
  untimed(
    'puts-of-nothing-keep-no-time',
    async (store, value) => value === null && (await store.usage()).pending === 0,
  ),
];

/** K3. */
const limits: readonly Mutant[] = [
  putting('values-of-a-million-bytes', (put, [name, value, options]) =>
    (value?.length ?? 0) > 1_000_000 ? { kind: 'full' } : put(name, value, options),
  ),
  stores.caught('lone-surrogates-replaced', ['putRecord'], 'ERR_MEMPOOL_INVALID', (error, { given: [name], call }) => {
    if (error.details.field !== 'name' || typeof name !== 'string' || name === '') throw error;
    return call(name.toWellFormed(), new Uint8Array());
  }),
  putting('full-refuses-all', async (put, [name, value, options], known) => {
    const bytes = [...known.values()].reduce<number>((sum, length) => sum + (length as number), 0);
    if (value !== null && bytes + value.length > 64 * 1024 * 1024 && options.version === undefined)
      return { kind: 'full' };
    const outcome = await put(name, value, options);
    if (outcome.kind === 'stored') known.set(name, value?.length ?? 0);
    return outcome;
  }),
];

function listing(id: string, change: (page: RecordPage, prefix: string) => Partial<RecordPage>): Mutant {
  return stores.told(id, { listRecords: (page, { given: [prefix] }) => change(page, prefix) });
}

/** K4. */
const lists: readonly Mutant[] = [
  listing('records-in-the-order-of-utf-16', ({ records }) => ({
    records: records.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  })),
  listing('names-without-their-prefix', ({ records }, prefix) => ({
    records: records.map((each) => ({ ...each, name: each.name.slice(prefix.length) })),
  })),
  stores.told('page-begins-with-the-name-given', {
    listRecords: async ({ records }, { store, given: [prefix, { after = '' } = {}] }) => {
      const found = after.startsWith(prefix) && after !== '' ? await store.getRecord(after) : null;
      return found && { records: [{ name: after, ...found }, ...records] };
    },
  }),
  stores.told('pages-of-any-size', {
    listRecords: async ({ records, next }, { store, given: [prefix, query = {}] }) => {
      if (records.length === 0 || records.length >= (query.limit ?? 100)) return null;
      const more = await store.listRecords(prefix, { ...query, after: next });
      return more.records.length > 0 && { ...more, records: [...records, ...more.records] };
    },
  }),
];

const isUnderLease = ({ lease }: PutOptions): boolean => lease !== undefined;

/** K2. */
export const recordFenceMutants: readonly Mutant[] = [
  guarded.instead('leader-puts-no-record', {
    putRecord: ({ given: [, , options = {}] }) => isUnderLease(options) && { kind: 'fenced' },
  }),
  guarded.around('puts-under-any-lease', {
    putRecord: ({ call, given: [name, value, { lease: _, ...options } = {}] }) => call(name, value, options),
  }),
  guarded.instead('puts-need-a-lease', {
    putRecord: ({ given: [, , options = {}], hall }) =>
      !isUnderLease(options) && leaderOf(hall) !== null && { kind: 'fenced' },
  }),
  guarded.around('fenced-puts-are-recorded', {
    putRecord: async ({ call, given: [name, value, options = {}], notes }) => {
      const { operationId = '' } = options;
      if (notes.hashes.has(operationId)) return { kind: 'fenced' };
      const outcome = await call(name, value, options);
      if (outcome.kind === 'fenced' && operationId !== '') notes.hashes.add(operationId);
      return outcome;
    },
  }),
];

/** K1, K3, K4, E5. */
export const recordMutants: readonly Mutant[] = [...versions, ...times, ...limits, ...lists];
