import type { CheckedSubmission, Entry, OrderKey, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { lentTags, priority, type RankedVerb, type Seen } from './priority-operators.ts';

/** The Pending ones that one waits for, once for each tag of theirs that it requires. */
export function parentsOf(index: PoolIndex, { verdict }: Entry): PoolNode[] {
  return unmetOf(index, verdict.requires).flatMap((tag) => [...index.providers.of(tag)]);
}

export function unmetOf(index: PoolIndex, tags: readonly string[]): string[] {
  return tags.filter((tag) => {
    const providers = [...index.providers.of(tag)];
    return !index.satisfied.has(tag) && providers.every(({ stage }) => stage === 'Pending');
  });
}

/** What stands below others, beside those: the parents' places, and of these the cheapest. */
interface Below {
  readonly place: OrderKey;
  readonly above: readonly OrderKey[];
  readonly cheapest: readonly OrderKey[];
  readonly low: bigint;
  readonly own: bigint;
  readonly seq: number;
}

/** A fault in the place of what stands below others. */
function below(id: string, change: (at: Below) => Partial<OrderKey> | false): Mutant {
  return priority.places(id, (place, entry, index) => {
    const above = parentsOf(index, entry).flatMap((parent) => parent.place ?? []);
    const [low = 0n] = above.map(({ effectivePriority }) => effectivePriority).sort((a, b) => (a < b ? -1 : 1));
    const cheapest = above.filter(({ effectivePriority }) => effectivePriority === low);
    return above.length > 0 && change({ place, above, cheapest, low, own: entry.verdict.priority, seq: entry.seq });
  });
}
const first = (places: readonly OrderKey[]): number => Math.min(...places.map(({ tieBreakSeq }) => tieBreakSeq));

/** P1: the table of places. */
export const placeMutants: readonly Mutant[] = [
  priority.places('low-32-bits-of-the-fee-compared', ({ effectivePriority }) => ({
    effectivePriority: BigInt.asUintN(32, effectivePriority),
  })),
  below('highest-parent-counts', ({ above, own }) => {
    const highest = above.toSorted((a, b) => (a.effectivePriority < b.effectivePriority ? -1 : 1)).at(-1);
    return (
      highest !== undefined &&
      own > highest.effectivePriority && {
        effectivePriority: highest.effectivePriority,
        tieBreakSeq: highest.tieBreakSeq,
      }
    );
  }),
  below('anchor-of-the-first-parent', ({ own, low, cheapest }) => own > low && { tieBreakSeq: first(cheapest) }),
  priority.places('parked-among-the-ready-by-price', () => ({ ready: true })),
];

/** What such a call moves in or out of Pending leaves its descendants where they were. */
function unfollowed(verb: RankedVerb): Mutant {
  return priority.view(`keys-not-recomputed-after-${verb}`, [verb], ({ index }) => ({
    dependents: lentTags(
      () => new Set(),
      (tag) => index.dependents.has(tag),
    ),
  }));
}

/** A fault in what the pool is told of a transaction. */
export function misheard(id: string, change: (verdict: CheckedSubmission['verdict']) => object): Mutant {
  return priority.givenEach(id, { admit: ({ verdict }) => ({ verdict: { ...verdict, ...change(verdict) } }) });
}
const inDoubles = (price: bigint): bigint => BigInt(Number(price));

/** P1 and P2, as pools of others break them, and what follows of a place. */
export const orderMutants: readonly Mutant[] = [
  ...(['admit', 'move', 'sweep', 'confirm', 'rollback'] as const).map(unfollowed),
  priority.told('reaps-a-child-as-soon-as-its-first-parent', {
    reap: (reaped, { index }) => {
      const at = reaped.findIndex(({ hash }) => (index.node(hash)?.entry.verdict.requires.length ?? 0) > 1);
      return at > 0 && [...reaped.slice(at, at + 1), ...reaped.toSpliced(at, 1)];
    },
  }),
  priority.each('reads-priorities-as-doubles', {
    reap: (one) => ({ priority: inDoubles(one.priority) }),
    best: (one) => ({ priority: inDoubles(one.priority) }),
  }),
  priority.around('evicts-from-the-other-end', {
    sweep: async ({ whole, index, given }) => {
      const over = index.totals.transactions - index.limits.maxTxs;
      const best = Array.from(index.order, ({ hash }) => hash).slice(0, Math.max(0, over));
      await whole.drop(best, 'evicted', free);
      const swept = await whole.sweep(...given);
      return { ...swept, evicted: [...best, ...swept.evicted] };
    },
  }),
];

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
  priority.view('new-life-provides-nothing-to-old-children', ['admit'], ({ index }) => ({
    put: (entry, stage) => {
      const isKnown = index.node(entry.hash) !== undefined;
      return index.put(isKnown ? { ...entry, verdict: { ...entry.verdict, provides: [] } } : entry, stage);
    },
  })),
];
