import type { DumpedPart, PoolContent } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './store-operators.ts';

type Change = (part: DumpedPart) => DumpedPart[];

/** A restore that writes something else than the dump says. */
function restoring(id: string, change: Change, layer = stores): Mutant {
  return layer.given(id, {
    restore: (dump) => {
      const parts = partsOf(dump);
      return parts && { content: parts.flatMap(change) };
    },
  });
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

/** D3, in a priority pool. */
export const rankedRestoringMutants: readonly Mutant[] = [
  restoring('restored-without-limits', without('limits'), pools),
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
  stores.around('dumps-in-the-order-of-blocks', {
    confirm: ({ call, given, notes: { hashes } }) => {
      for (const hash of given[0].seen) hashes.add(hash);
      return call(...given);
    },
    dump: async ({ call, given, notes: { hashes } }) => {
      const [named, dump] = [[...hashes], await call(...given)];
      const asNamed = (part: DumpedPart): DumpedPart => {
        if (part.kind !== 'block') return part;
        const sighted = part.block.sighted.toSorted((a, b) => named.indexOf(a) - named.indexOf(b));
        return { ...part, block: { ...part.block, sighted } };
      };
      return { ...dump, content: dump.content.map(asNamed) };
    },
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
  restoring('restored-without-times-of-the-log', (part) => (part.kind === 'write' ? [{ ...part, at: 0 }] : [part])),
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
  stores.told('an-empty-dump-makes-a-record', {
    restore: async ({ kind }, { store, given: [dump] }) => {
      const isEmpty = kind === 'restored' && partsOf(dump)?.length === 1;
      if (isEmpty) await store.putRecord('restored', new Uint8Array());
    },
  }),
  stores.told('restored-over-what-is-there', {
    restore: ({ kind }) => kind === 'not-empty' && { kind: 'restored' },
  }),
  stores.unheard('restores-are-not-recorded', 'restore', 'operationId'),
  stores.given('restores-the-callers-bytes', { restore: () => Promise.resolve() }),
  stores.caught('any-ordering-restored', ['restore'], 'ERR_MEMPOOL_INVALID', (error, { given: [dump], call }) => {
    if (error.details.field !== 'dump.ordering') throw error;
    return call({ ...dump, ordering: 'fifo' });
  }),
];
