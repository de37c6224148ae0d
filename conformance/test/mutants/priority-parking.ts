import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { eventOf, free } from './planted-driver.ts';
import { misheard } from './priority-order.ts';
import { parentsOf, unmetOf } from './priority-places.ts';
import { priority, type Seen } from './priority-pool.ts';

type Trace = ReturnType<PoolIndex['touched']>[number];

/** One that looks ready to the rules, whatever it is. */
function marking(id: string, isReady: (node: PoolNode) => boolean): Mutant {
  return priority.view(id, ['move'], ({ index }) => {
    const lent = (hash: string): PoolNode | undefined => {
      const node = index.node(hash);
      return node?.place ? { ...node, place: { ...node.place, ready: isReady(node) } } : node;
    };
    return { node: lent, move: (node, ...rest) => index.move(index.node(node.hash) ?? node, ...rest) };
  });
}

/** An event as if this one had moved, behind those of the call. */
function told(id: string, verb: 'admit' | 'revise', isTold: (trace: Trace) => boolean): Mutant {
  return priority.decided(id, [verb], ({ events }, { index, ledger }: Seen) => {
    const more = index.touched().filter(isTold);
    const made = more.map(({ node }, i) => ({
      ...eventOf(node.entry, node.stage),
      eventSeq: ledger.lastEventSeq + events.length + 1 + i,
    }));
    return { events: [...events, ...made] };
  });
}

/** What is in flight and waits for what the call moved. */
function childrenIn(index: PoolIndex, hashes: readonly string[]): string[] {
  const tags = hashes.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
  const children = tags.flatMap((tag) => [...index.dependents.of(tag)]);
  return children.filter(({ stage }) => stage === 'Propagated').map(({ hash }) => hash);
}

const requiredBy = ({ given }: Seen): string[] =>
  (given[0] as readonly CheckedSubmission[]).flatMap(({ verdict }) => verdict.requires);

/** P2. */
export const parkingMutants: readonly Mutant[] = [
  ...(['Propagated', 'Acknowledged', 'Confirmed'] as const).map((stage) =>
    priority.places(`tags-not-met-by-${stage.toLowerCase()}`, (_, { verdict }, { providers }) => {
      const isOf = (tag: string) => [...providers.of(tag)].some((provider) => provider.stage === stage);
      return verdict.requires.some(isOf) && { ready: false };
    }),
  ),
  priority.overlooks(
    'tags-not-met-by-pending-for-those-that-come',
    ['admit'],
    (node, tag, seen) => node.stage === 'Pending' && requiredBy(seen).includes(tag),
  ),
  priority.places('child-of-a-parked-one-ready', (_, { verdict }, index) => ({
    ready: unmetOf(index, verdict.requires).every((tag) => index.providers.of(tag).size > 0),
  })),
  priority.places(
    'one-parent-makes-ready',
    (_, entry, index) => parentsOf(index, entry).some((parent) => parent.place?.ready === true) && { ready: true },
  ),
  priority.told('parked-not-told', {
    admit: (told) => told.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => name !== 'parked'))),
  }),
  priority.told('parked-reaped', {
    reap: (reaped, { index, given: [{ maxTxs }] }) => {
      const parked = Array.from(index.parked, ({ entry: { hash, seq, bytes, verdict } }) => ({
        ...{ hash, seq, bytes, gas: verdict.gas, priority: verdict.priority },
      }));
      return [...reaped, ...parked].slice(0, maxTxs);
    },
  }),
  marking('parked-marked', () => true),
  marking('only-roots-marked', ({ place }) => place?.depth === 0),
  priority.view('parked-taken', ['take'], ({ index }) => ({
    order: {
      walk: (visit) => index.order.walk((standing, node) => visit({ ...standing, isReady: true }, node)),
    } as PoolIndex['order'],
  })),
  priority.told('parked-listed-by-price', {
    peekParked: (page, { index }) => {
      const price = (hash: string) => index.node(hash)?.entry.verdict.priority ?? 0n;
      return page.toSorted((a, b) => Number(price(b.hash) - price(a.hash)));
    },
  }),
  priority.each('parked-listed-without-payloads', { peekParked: () => ({ payload: new Uint8Array() }) }),
  priority.told('parked-pending-too', {
    peekPending: async (ready, { whole, given }) =>
      [...ready, ...(await whole.peekParked(...given))].sort((a, b) => a.seq - b.seq),
  }),
  priority.told('pending-listed-by-price', {
    peekPending: (page, { index }) => {
      const at = new Map(Array.from(index.order, ({ hash }, i) => [hash, i]));
      return page.toSorted((a, b) => (at.get(a.hash) ?? 0) - (at.get(b.hash) ?? 0));
    },
  }),
  priority.told('usage-counts-ready-ones-as-pending', {
    usage: ({ pending }, { index }) => ({ pending: pending - index.parked.length }),
  }),
  told(
    'readiness-told-by-an-event',
    'admit',
    ({ node, before }) => before?.place?.ready === false && node.place?.ready === true,
  ),
  told('verdicts-told-by-an-event', 'revise', ({ node, before }) => before?.entry.version !== node.entry.version),
  priority.around('children-dropped-with-their-parent', {
    drop: async ({ whole, index, given }) => {
      const children = childrenIn(index, given[0]);
      const gone = await whole.drop(...given);
      await whole.drop(children, given[1], free);
      return gone;
    },
  }),
  priority.around('children-released-with-their-parent', {
    move: async ({ whole, index, given }) => {
      const children = given[0] === 'release' ? childrenIn(index, given[1]) : [];
      const moved = await whole.move(...given);
      await whole.move('release', children, free);
      return moved;
    },
  }),
  priority.around('flush-leaves-the-parked', {
    flush: async ({ whole, index, given: [context] }) => {
      const ready = [...index.order].filter(({ place }) => place.ready).map(({ hash }) => hash);
      return (await whole.drop(ready, 'flushed', context)).length;
    },
  }),
  misheard('tags-kept-as-often-as-named', ({ provides, requires }) => ({
    provides: [...provides, ...provides],
    requires: [...requires, ...requires],
  })),
  priority.view('new-life-provides-nothing-to-old-children', ['admit'], ({ index }) => ({
    put: (entry, stage) => {
      const isKnown = index.node(entry.hash) !== undefined;
      return index.put(isKnown ? { ...entry, verdict: { ...entry.verdict, provides: [] } } : entry, stage);
    },
  })),
];
