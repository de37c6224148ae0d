import type { Candidate } from 'mempool-core';
import type { CheckedSubmission, Entry, OrderKey, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { sorted } from './page-operators.ts';
import { eventOf, free } from './planted-driver.ts';
import { lentTags, priority, type RankedVerb, type Seen } from './priority-operators.ts';
import { pools } from './store-operators.ts';

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

const last = (places: readonly OrderKey[]): number => Math.max(...places.map(({ tieBreakSeq }) => tieBreakSeq));
const first = (places: readonly OrderKey[]): number => Math.min(...places.map(({ tieBreakSeq }) => tieBreakSeq));

/** P1: the table of places. */
export const placeMutants: readonly Mutant[] = [
  priority.places('fees-ordered-upside-down', ({ effectivePriority }) => ({
    effectivePriority: -effectivePriority - 1n,
  })),
  priority.places('low-32-bits-of-the-fee-compared', ({ effectivePriority }) => ({
    effectivePriority: BigInt.asUintN(32, effectivePriority),
  })),
  priority.places('fees-below-zero-compared-as-large-ones', ({ effectivePriority }) => ({
    effectivePriority: BigInt.asUintN(64, effectivePriority) >> 1n,
  })),
  priority.places('places-by-doubles', ({ effectivePriority }) => ({
    effectivePriority: BigInt.asIntN(64, BigInt(Number(effectivePriority))),
  })),
  priority.places('equals-newest-first', ({ tieBreakSeq }) => ({ tieBreakSeq: Number.MAX_SAFE_INTEGER - tieBreakSeq })),
  priority.places('depth-from-one', ({ depth }) => ({ depth: depth + 1 })),
  priority.places('alone-anchored-at-nothing', ({ depth }) => depth === 0 && { tieBreakSeq: 0 }),
  priority.places('equals-by-their-own-seq-alone', ({ seq }) => ({ tieBreakSeq: seq })),
  below('child-pays-for-its-own-place', ({ own, seq }) => ({ effectivePriority: own, tieBreakSeq: seq, depth: 0 })),
  below('poor-child-at-its-parents-price', ({ low, cheapest }) => ({
    effectivePriority: low,
    tieBreakSeq: last(cheapest),
  })),
  below(
    'poor-child-at-its-parents-anchor',
    ({ place, low, cheapest }) => place.effectivePriority < low && { tieBreakSeq: last(cheapest) },
  ),
  below(
    'equal-child-at-its-parents-anchor',
    ({ own, low, cheapest }) => own === low && { tieBreakSeq: last(cheapest) },
  ),
  below('equal-child-at-its-own-seq', ({ own, low, seq }) => own === low && { tieBreakSeq: seq }),
  below(
    'rich-child-at-its-own-seq',
    ({ own, low, seq, place }) => own > low && { tieBreakSeq: Math.max(seq, place.tieBreakSeq) },
  ),
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
  below('anchor-of-any-parent', ({ own, low, above }) => own > low && { tieBreakSeq: last(above) }),
  below('depth-of-the-cheapest-parent', ({ cheapest }) => ({
    depth: 1 + Math.min(...cheapest.map(({ depth }) => depth)),
  })),
  below('depth-is-one', () => ({ depth: 1 })),
  below('depth-is-nought', () => ({ depth: 0 })),
  below('depth-counts-parents-twice', ({ place, above }) => ({ depth: place.depth + above.length - 1 })),
  below('poor-child-at-depth-nought', ({ place, low }) => place.effectivePriority < low && { depth: 0 }),
  below(
    'grandparents-do-not-count',
    ({ above, own }) => above.some(({ depth }) => depth > 0) && { effectivePriority: own },
  ),
  priority.places(
    'parked-stand-alone',
    ({ ready }, { seq, verdict }) => !ready && { effectivePriority: verdict.priority, tieBreakSeq: seq, depth: 0 },
  ),
  priority.places('parked-by-arrival', ({ ready, seq }) => !ready && { effectivePriority: 0n, tieBreakSeq: seq }),
  priority.places('parked-among-the-ready-by-price', () => ({ ready: true })),
  priority.places(
    'siblings-by-price',
    ({ depth }, { verdict }) => depth > 0 && { depth: depth * 100 - Number(verdict.priority % 100n) },
  ),
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

/** The candidates of each sender turned round, in the places that they have together. */
function backwards(index: PoolIndex, candidates: readonly Candidate[]): Candidate[] {
  const senderOf = ({ hash }: Candidate): string => index.node(hash)?.entry.verdict.sender ?? '';
  const bySender = Map.groupBy(candidates, senderOf);
  return candidates.map((one) => (senderOf(one) === '' ? one : (bySender.get(senderOf(one))?.pop() ?? one)));
}

const highest = 2n ** 63n - 1n;
const inDoubles = (price: bigint): bigint => BigInt(Number(price));

function deepest(index: PoolIndex, entry: Entry | undefined, left = 50): number {
  if (left === 0 || entry === undefined) return 0;
  return Math.max(0, ...parentsOf(index, entry).map((parent) => 1 + deepest(index, parent.entry, left - 1)));
}

/** P1 and P2, as pools of others break them, and what follows of a place. */
export const orderMutants: readonly Mutant[] = [
  ...(['admit', 'move', 'drop', 'sweep', 'confirm', 'rollback', 'revise'] as const).map(unfollowed),
  misheard('priorities-are-doubles', (verdict) => {
    const double = inDoubles(verdict.priority);
    return { priority: double > highest ? highest : double };
  }),
  misheard('default-priority-is-the-lowest', (verdict) => (verdict.priority === 0n ? { priority: -highest - 1n } : {})),
  priority.told('nonces-of-a-sender-backwards', {
    reap: (reaped, { index }) => backwards(index, reaped),
    take: ({ transactions }, { index }) => ({ transactions: backwards(index, transactions) }),
  }),
  priority.told('reaps-by-own-price', { reap: (reaped) => reaped.toSorted((a, b) => Number(b.priority - a.priority)) }),
  priority.told('reaps-a-child-as-soon-as-its-first-parent', {
    reap: (reaped, { index }) => {
      const at = reaped.findIndex(({ hash }) => (index.node(hash)?.entry.verdict.requires.length ?? 0) > 1);
      return at > 0 && [...reaped.slice(at, at + 1), ...reaped.toSpliced(at, 1)];
    },
  }),
  priority.only('reaps-no-deeper-than-two', {
    reap: ({ hash }, { index }) => deepest(index, index.node(hash)?.entry) < 3,
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

export const storeOrderMutants: readonly Mutant[] = [
  pools.around('children-of-a-call-not-seen', {
    receive: async ({ store, given: [batch, options] }) =>
      (await store.receive([...batch].reverse(), options)).reverse(),
  }),
];

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
  return priority.decided(id, [verb], ({ events }, { index, memory }: Seen) => {
    const more = index.touched().filter(isTold);
    const made = more.map(({ node }, i) => ({
      ...eventOf(node.entry, node.stage),
      eventSeq: memory.lastEventSeq + events.length + 1 + i,
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
    parked: over(index.parked, () => ({ length: 0 })),
  })),
  priority.told('parked-listed-by-price', {
    peekParked: (page, { index }) => {
      const price = (hash: string) => index.node(hash)?.entry.verdict.priority ?? 0n;
      return sorted(page, ({ hash }) => -Number(price(hash)));
    },
  }),
  priority.each('parked-listed-without-payloads', { peekParked: () => ({ payload: new Uint8Array() }) }),
  priority.told('parked-pending-too', {
    peekPending: async (ready, { whole, given }) => {
      const { transactions } = await whole.peekParked(...given);
      return sorted({ ...ready, transactions: [...ready.transactions, ...transactions] }, ({ seq }) => seq);
    },
  }),
  priority.told('pending-listed-by-price', {
    peekPending: (page, { index }) => {
      const at = new Map(Array.from(index.order, ({ hash }, i) => [hash, i]));
      return sorted(page, ({ hash }) => at.get(hash) ?? 0);
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
