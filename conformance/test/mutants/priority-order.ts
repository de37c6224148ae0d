import type { CheckedSubmission, Entry, OrderKey, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';

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

/** P1: the table of places. */
export const placeMutants: readonly Mutant[] = [
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
];

/** A fault in what the pool is told of a transaction. */
export function misheard(id: string, change: (verdict: CheckedSubmission['verdict']) => object): Mutant {
  return priority.givenEach(id, { admit: ({ verdict }) => ({ verdict: { ...verdict, ...change(verdict) } }) });
}
const inDoubles = (price: bigint): bigint => BigInt(Number(price));

/** P1 and P2, as pools of others break them, and what follows of a place. */
export const orderMutants: readonly Mutant[] = [
  priority.each('reads-priorities-as-doubles', {
    reap: (one) => ({ priority: inDoubles(one.priority) }),
    best: (one) => ({ priority: inDoubles(one.priority) }),
  }),
];

/** P2. */
export const parkingMutants: readonly Mutant[] = [
  ...(['Confirmed'] as const).map((stage) =>
    priority.places(`tags-not-met-by-${stage.toLowerCase()}`, (_, { verdict }, { providers }) => {
      const isOf = (tag: string) => [...providers.of(tag)].some((provider) => provider.stage === stage);
      return verdict.requires.some(isOf) && { ready: false };
    }),
  ),
  priority.view('new-life-provides-nothing-to-old-children', ['admit'], ({ index }) => ({
    put: (entry, stage) => {
      const isKnown = index.node(entry.hash) !== undefined;
      return index.put(isKnown ? { ...entry, verdict: { ...entry.verdict, provides: [] } } : entry, stage);
    },
  })),
];
