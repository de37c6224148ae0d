import type { KnownStage } from 'mempool-core';
import type { CheckedBlock, CheckedSubmission, Entry, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { limit } from './priority-admission.ts';
import { priority, type RankedVerb, type Seen } from './priority-pool.ts';
import { now } from './priority-sweeping.ts';

function blocked(id: string, change: (block: CheckedBlock, index: PoolIndex) => Partial<CheckedBlock>): Mutant {
  return priority.given(id, { confirm: (block, { index }) => change(block, index) });
}

/** The tick that a call satisfies a tag at, or `null`. */
function satisfying(
  id: string,
  change: (tag: string, tick: number, index: PoolIndex, provides: readonly string[]) => number | null,
): Mutant {
  return priority.view(id, ['confirm'], ({ index, given }) => ({
    satisfy: (tag, tick) => {
      const made = change(tag, tick, index, (given[0] as CheckedBlock).provides);
      if (made !== null) index.satisfy(tag, made);
    },
  }));
}

/** An entry that does not come back as it was. */
function forgetful(
  id: string,
  change: (entry: Entry) => Partial<Entry>,
  stages: readonly KnownStage[] = ['Dropped', 'Finalized'],
): Mutant {
  const verbs = ['confirm', 'rollback', 'drop'] as const;
  return priority.moves(id, verbs, (entry, stage) => stages.includes(stage) && change(entry));
}

/** The tags that the chain satisfied, with other ones that nobody misses. */
function idling(id: string, isIdle: (nodes: readonly PoolNode[]) => boolean): Mutant {
  return priority.view(id, ['confirm'], ({ index, ledger }: Seen) => {
    const old = () => index.satisfied.entries().filter(([, tick]) => tick < ledger.floor);
    const idle = () => [...old()].map(([tag]) => tag).filter((tag) => isIdle([...index.dependents.of(tag)]));
    return { satisfied: over(index.satisfied, () => ({ idle })) };
  });
}

const isFinalOf = (index: PoolIndex, tag: string): boolean =>
  [...index.nodes()].some(({ stage, entry }) => stage === 'Finalized' && entry.verdict.provides.includes(tag));
const withoutPrice = ({ verdict }: Entry) => ({ verdict: { ...verdict, priority: 0n } });
const both: readonly RankedVerb[] = ['rollback', 'confirm'];

/** P12. */
export const chainTagMutants: readonly Mutant[] = [
  blocked('tags-of-blocks-ignored', () => ({ provides: [] })),
  blocked('first-tag-of-a-block-alone', ({ provides }) => ({ provides: provides.slice(0, 1) })),
  satisfying('blocks-spend-but-satisfy-nothing', (tag, tick, index) => (isFinalOf(index, tag) ? tick : null)),
  satisfying('satisfied-at-once-for-ever', () => 0),
  satisfying('satisfied-by-the-latest-block', (tag, tick, index) => {
    index.forget(tag);
    return tick;
  }),
  satisfying('final-tags-not-satisfied', (tag, tick, _, provides) => (provides.includes(tag) ? tick : null)),
  satisfying('final-tags-from-the-block-that-made-them-final', (tag, tick, _, provides) =>
    provides.includes(tag) ? tick : tick + 1,
  ),
  priority.view('satisfied-tags-not-withdrawn', ['rollback'], () => ({ forget: () => undefined })),
  priority.view('satisfied-tags-withdrawn-altogether', ['rollback'], ({ index }) => ({
    forget: (tag) => {
      for (const [other] of index.satisfied.entries()) index.forget(other);
      index.forget(tag);
    },
  })),
  idling('needed-tags-forgotten', () => true),
  idling('tags-needed-by-the-log-forgotten', (nodes) => nodes.every(({ stage }) => stage === 'Finalized')),
  idling('tags-needed-by-dropped-ones-forgotten', (nodes) => nodes.length === 0),
  priority.hides(
    'conflict-by-block-missing',
    ['confirm'],
    ({ stage }) => stage !== 'Confirmed' && stage !== 'Finalized',
  ),
  priority.hides(
    'conflict-spares-what-is-in-flight',
    ['confirm'],
    ({ stage }) => stage === 'Propagated' || stage === 'Acknowledged',
  ),
  blocked('conflict-takes-confirmed-ones-too', ({ provides, seen, unseen }, index) => {
    const spent = provides.flatMap((tag) => [...index.providers.of(tag)]);
    const taken = spent.filter(({ stage, hash }) => stage === 'Confirmed' && !seen.includes(hash));
    return { unseen: [...unseen, ...taken.map(({ hash }) => hash)] };
  }),
  priority.hides(
    'conflicts-with-our-own-not-noticed',
    ['confirm'],
    ({ stage }, tag, { given }) => stage === 'Pending' && !(given[0] as CheckedBlock).provides.includes(tag),
  ),
  priority.reason('conflict-told-as-stale', both, 'conflict', 'stale'),
  priority.told('conflicts-not-counted-as-dropped', { confirm: ({ kind }) => kind === 'applied' && { dropped: 0 } }),
  priority.told('returned-counts-those-that-were-dropped', {
    rollback: (told) => told.kind === 'rolled-back' && { returned: Math.max(1, told.returned) },
  }),
  priority.told('spent-ones-return-with-a-rollback', {
    rollback: async (_, { whole, index }) => {
      const isSpent = ({ stage, entry }: PoolNode) => stage === 'Dropped' && entry.verdict.provides.length > 0;
      const again = [...index.nodes()].filter(isSpent).map(({ entry: { hash, bytes, verdict } }) => ({
        ...{ hash, payload: new Uint8Array(bytes), payloadType: 0, verdict, from: null },
      }));
      await whole.admit(again, now, free);
    },
  }),
  priority.told('blocks-not-applied-satisfy-too', {
    confirm: ({ kind, tip }, { index, given: [{ provides }] }) => {
      for (const tag of kind === 'applied' ? [] : provides) index.satisfy(tag, tip.tick);
    },
  }),
  priority.instead('seen-by-the-chain-but-held-to-limits', {
    admit: ({ index, given: [submissions] }) =>
      (submissions[0]?.verdict.gas ?? 0) > index.limits.maxTxGas &&
      submissions.map(({ hash }) => ({ hash, ...limit('maxTxGas') })),
  }),
  priority.overlooks('received-confirmed-spares-its-rival', ['admit'], (_, __, { given, ledger }) => {
    const [one] = given[0] as readonly CheckedSubmission[];
    return one !== undefined && ledger.sighting(one.hash) !== null;
  }),
  priority.view('parked-ones-not-confirmed', ['confirm'], ({ index, given }) => {
    const { seen } = given[0] as CheckedBlock;
    const isParked = (hash: string) => seen.includes(hash) && index.node(hash)?.place?.ready === false;
    return { move: (node, stage, entry) => (isParked(node.hash) ? node : index.move(node, stage, entry)) };
  }),
  priority.hides('returned-beside-a-confirmed-rival', both, ({ stage }) => stage === 'Confirmed'),
  priority.hides('both-return', ['rollback'], ({ stage }) => stage === 'Pending'),
  priority.reason('circles-of-an-undoing-told-as-conflicts', ['rollback'], 'cycle', 'conflict'),
  priority.reason('circles-of-a-block-told-as-conflicts', ['confirm'], 'cycle', 'conflict'),
  forgetful('verdict-lost-at-finalization', withoutPrice, ['Finalized']),
  forgetful('verdict-lost-when-dropped', withoutPrice, ['Dropped']),
  forgetful('sources-lost-in-the-log', () => ({ sources: [] })),
  forgetful('version-begins-anew-in-the-log', () => ({ version: 1 })),
  forgetful('times-begin-anew-in-the-log', ({ admittedAt }) => ({ admittedAt: admittedAt + 500 })),
  priority.around('entries-outlive-the-log', {
    drop: async ({ whole, given, notes: { patches } }) => {
      for (const entry of (await whole.dumpPool(given[2])).entries) patches.set(entry.hash, entry);
      return whole.drop(...given);
    },
    dumpPool: async ({ whole, given, notes: { patches } }) => {
      const dump = await whole.dumpPool(...given);
      for (const entry of dump.entries) patches.set(entry.hash, entry);
      const entries = [...patches].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
      return { ...dump, entries };
    },
  }),
  blocked('revived-only-where-there-is-room', ({ unseen }, { totals, limits }) => ({
    unseen: totals.transactions >= limits.maxTxs ? [] : unseen,
  })),
];
