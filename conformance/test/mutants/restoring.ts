import type { AnyStore, DumpedPart, PoolContent, PoolDump } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './store-operators.ts';

type Change = (part: DumpedPart) => DumpedPart[];

/** A restore that writes something else than the dump says. */
function restoring(id: string, change: Change): Mutant {
  return stores.plant(id, (store) => ({
    restore: (dump, options) => {
      const parts = partsOf(dump);
      return store.restore(parts === undefined ? dump : { ...dump, content: parts.flatMap(change) }, options);
    },
  }));
}

/** The parts of a dump; `undefined` for anything else. */
function partsOf(dump: PoolContent | null): readonly DumpedPart[] | undefined {
  return Array.isArray(dump?.content) ? dump.content : undefined;
}

const facts = { receivedAt: null, attempts: 0, sentAt: null };
const kept = (part: DumpedPart): DumpedPart[] => [part];
const without =
  (kind: DumpedPart['kind']): Change =>
  (part) =>
    part.kind === kind ? [] : [part];

function ofBase(change: (base: Extract<DumpedPart, { readonly kind: 'base' }>) => object): Change {
  return (part) => (part.kind === 'base' ? [{ ...part, ...change(part) }] : kept(part));
}

function restored(id: string, run: (store: AnyStore, dump: PoolDump) => Promise<unknown>): Mutant {
  return stores.plant(id, (store) => ({
    restore: async (dump, options) => {
      const outcome = await store.restore(dump, options);
      if (outcome.kind === 'restored') await run(store, dump as PoolDump);
      return outcome;
    },
  }));
}

/** D3, in a priority pool. */
export const rankedRestoringMutants: readonly Mutant[] = [
  pools.plant('restored-without-limits', (store) => ({
    restore: (dump, options) =>
      store.restore({ ...dump, content: partsOf(dump)?.filter(({ kind }) => kind !== 'limits') ?? [] }, options),
  })),
];

/** D3. */
export const restoringMutants: readonly Mutant[] = [
  restoring(
    'restored-without-claims',
    ofBase(() => ({ fifo: null })),
  ),
  restoring('restored-without-inclusions', (part) =>
    part.kind === 'block' ? [{ ...part, block: { ...part.block, sighted: [] } }] : [part],
  ),
  stores.plant('dumps-in-the-order-of-blocks', (store) => {
    const named: string[] = [];
    const asNamed = (part: DumpedPart): DumpedPart => {
      if (part.kind !== 'block') return part;
      const sighted = part.block.sighted.toSorted((a, b) => named.indexOf(a) - named.indexOf(b));
      return { ...part, block: { ...part.block, sighted } };
    };
    return {
      confirm: (block, ...rest) => {
        named.push(...block.seen);
        return store.confirm(block, ...rest);
      },
      dump: async (options) => {
        const dump = await store.dump(options);
        return { ...dump, content: dump.content.map(asNamed) };
      },
    };
  }),
  restoring('versions-begin-anew-after-a-restore', without('version')),
  restoring('restored-without-types', (part) =>
    part.kind === 'write' && part.write.body !== null
      ? [{ ...part, write: { ...part.write, body: { ...part.write.body, payloadType: 0 } } }]
      : [part],
  ),
  restoring('restored-without-times', (part) =>
    part.kind === 'write' ? [{ ...part, write: { ...part.write, after: { ...part.write.after, facts } } }] : [part],
  ),
  restoring(
    'restored-without-the-last-time',
    ofBase(() => ({ lastAt: 0 })),
  ),
  restoring('restored-without-times-of-the-log', (part) => (part.kind === 'write' ? [{ ...part, at: null }] : [part])),
  stores.around('half-a-stream-is-restored', {
    restore: async ({ call, given: [dump, options] }) => {
      if (typeof dump?.content !== 'object' || !(Symbol.asyncIterator in dump.content)) return call(dump, options);
      const content: DumpedPart[] = [];
      try {
        for await (const part of dump.content) content.push(part);
      } catch {
        // The fault.
      }
      return call({ ...dump, content }, options);
    },
  }),
  restored('an-empty-dump-makes-a-record', (store, { content }) =>
    content.length === 1 ? store.putRecord('restored', new Uint8Array()) : Promise.resolve(),
  ),
  stores.told('restored-over-what-is-there', {
    restore: ({ kind }) => kind === 'not-empty' && { kind: 'restored' },
  }),
  stores.around('restores-are-not-recorded', {
    restore: ({ call, given: [dump, { operationId: _, ...options } = {}] }) => call(dump, options),
  }),
  stores.around('restores-the-callers-bytes', {
    restore: async ({ call, given }) => {
      await Promise.resolve();
      return call(...given);
    },
  }),
  stores.caught('any-ordering-restored', ['restore'], 'ERR_MEMPOOL_INVALID', (error, { given: [dump], call }) => {
    if (error.details.field !== 'dump.ordering') throw error;
    return call({ ...dump, ordering: 'fifo' });
  }),
];
