import type { OpenOptions, PutOptions, PutOutcome, RecordPage } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { asTested, type TestedPool } from '../../src/case/tested-pool.ts';
import { storeVerbs, verbsOf } from '../../src/case/verbs.ts';
import { guarded, leaderOf } from './fencing.ts';
import { type Mutant, mutant, plainPool } from './mutant.ts';
import { stores } from './store-operators.ts';

type Put = TestedPool['putRecord'];

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
  stores.unheard('puts-are-not-recorded', 'putRecord', 'operationId'),
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
];

/** Puts for which the pool keeps no time: it opens with a clock that shows 1 while they run. */
function untimed(id: string, isMeant: (store: TestedPool, value: Uint8Array | null) => Promise<boolean>): Mutant {
  const open = async (options: OpenOptions = {}): Promise<TestedPool> => {
    const { now = Date.now } = options;
    let isPutting = false;
    const store = asTested(await ephemeral.open({ ...options, now: () => (isPutting ? 1 : now()) }));
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
const times: readonly Mutant[] = [untimed('puts-keep-no-time', async () => true)];

/** K3. */
const limits: readonly Mutant[] = [
  putting('values-of-a-million-bytes', (put, [name, value, options]) =>
    (value?.length ?? 0) > 1_000_000 ? { kind: 'full' } : put(name, value, options),
  ),
  stores.caught('lone-surrogates-replaced', ['putRecord'], 'ERR_MEMPOOL_INVALID', (error, { given: [name], call }) => {
    if (error.details.field !== 'name' || typeof name !== 'string' || name === '') throw error;
    return call(name.toWellFormed(), new Uint8Array());
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
  stores.told('page-begins-with-the-name-given', {
    listRecords: async ({ records }, { store, given: [prefix, { after = '' } = {}] }) => {
      const found = after.startsWith(prefix) && after !== '' ? await store.getRecord(after) : null;
      return found && { records: [{ name: after, ...found }, ...records] };
    },
  }),
];

const isUnderLease = ({ lease }: PutOptions): boolean => lease !== undefined;

/** K2. */
export const recordFenceMutants: readonly Mutant[] = [
  guarded.instead('leader-puts-no-record', {
    putRecord: ({ given: [, , options = {}] }) => isUnderLease(options) && { kind: 'fenced' },
  }),
  guarded.instead('puts-need-a-lease', {
    putRecord: ({ given: [, , options = {}], hall }) =>
      !isUnderLease(options) && leaderOf(hall) !== null && { kind: 'fenced' },
  }),
];

/** K1, K3, K4, E5. */
export const recordMutants: readonly Mutant[] = [...versions, ...times, ...limits, ...lists];
