import { isRefusal, type KnownStage, type ReviseOutcome, type StaleTransaction } from 'mempool-core';
import type {
  CheckedBlock,
  CheckedRevision,
  CheckedSubmission,
  CheckedVerdict,
  Entry,
  PoolIndex,
  PoolNode,
} from 'mempool-core/backend';
import { over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { limit } from './priority-admission.ts';
import { leave, priority, type RankedVerb, type Seen } from './priority-operators.ts';
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
  return priority.view(id, ['confirm'], ({ index, memory }: Seen) => {
    const old = () => index.satisfied.entries().filter(([, tick]) => tick < memory.floor);
    const idle = () => [...old()].map(([tag]) => tag).filter((tag) => isIdle([...index.dependents.of(tag)]));
    return { satisfied: over(index.satisfied, () => ({ idle })) };
  });
}
const withoutPrice = ({ verdict }: Entry) => ({ verdict: { ...verdict, priority: 0n } });
const both: readonly RankedVerb[] = ['rollback', 'confirm'];

/** P12. */
export const chainTagMutants: readonly Mutant[] = [
  blocked('tags-of-blocks-ignored', () => ({ provides: [] })),
  blocked('first-tag-of-a-block-alone', ({ provides }) => ({ provides: provides.slice(0, 1) })),
  satisfying('satisfied-at-once-for-ever', () => 0),
  satisfying('final-tags-not-satisfied', (tag, tick, _, provides) => (provides.includes(tag) ? tick : null)),
  idling('needed-tags-forgotten', () => true),
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
  priority.told('spent-ones-return-with-a-rollback', {
    rollback: async (_, { whole, index }) => {
      const isSpent = ({ stage, entry }: PoolNode) => stage === 'Dropped' && entry.verdict.provides.length > 0;
      const again = [...index.nodes()].filter(isSpent).map(({ entry: { hash, bytes, verdict } }) => ({
        ...{ hash, payload: new Uint8Array(bytes), payloadType: 0, verdict, from: null },
      }));
      await whole.admit(again, now, free);
    },
  }),
  priority.instead('seen-by-the-chain-but-held-to-limits', {
    admit: ({ index, given: [submissions] }) =>
      (submissions[0]?.verdict.gas ?? 0) > index.limits.maxTxGas &&
      submissions.map(({ hash }) => ({ hash, ...limit('maxTxGas') })),
  }),
  priority.overlooks('received-confirmed-spares-its-rival', ['admit'], (_, __, { given, memory }) => {
    const [one] = given[0] as readonly CheckedSubmission[];
    return one !== undefined && memory.inclusion(one.hash) !== null;
  }),
  priority.view('parked-ones-not-confirmed', ['confirm'], ({ index, given }) => {
    const { seen } = given[0] as CheckedBlock;
    const isParked = (hash: string) => seen.includes(hash) && index.node(hash)?.place?.ready === false;
    return { move: (node, stage, entry) => (isParked(node.hash) ? node : index.move(node, stage, entry)) };
  }),
  priority.reason('circles-of-an-undoing-told-as-conflicts', ['rollback'], 'cycle', 'conflict'),
  priority.reason('circles-of-a-block-told-as-conflicts', ['confirm'], 'cycle', 'conflict'),
  forgetful('verdict-lost-when-dropped', withoutPrice, ['Dropped']),
  forgetful('sources-lost-in-the-log', () => ({ sources: [] })),
  forgetful('version-begins-anew-in-the-log', () => ({ version: 1 })),
  forgetful('times-begin-anew-in-the-log', ({ admittedAt }) => ({ admittedAt: admittedAt + 500 })),
  blocked('revived-only-where-there-is-room', ({ unseen }, { totals, limits }) => ({
    unseen: totals.transactions >= limits.maxTxs ? [] : unseen,
  })),
];

/** Who goes pushes out those who came later and provide the same, whatever it goes for. */
function dragging(id: string, verb: 'confirm' | 'rollback', reason: string): Mutant {
  return priority.every(id, [verb], async ({ whole, index, memory, given }) => {
    const before = new Map(Array.from(index.nodes(), ({ hash, stage }) => [hash, stage]));
    const outcome = await (whole[verb] as (...all: readonly unknown[]) => unknown)(...given);
    const isLoser = ({ hash, stage }: PoolNode) =>
      stage === 'Dropped' && before.get(hash) === 'Confirmed' && memory.txState(hash)?.reason === reason;
    for (const { seq, entry } of [...index.nodes()].filter(isLoser)) {
      const rivals = entry.verdict.provides.flatMap((tag) => [...index.providers.of(tag)]);
      await leave(
        whole,
        rivals.filter((rival) => rival.seq > seq),
        'conflict',
      );
    }
    return outcome;
  });
}

/** What the chain has satisfied does not hinder those who return. */
function unhindered(id: string, verb: RankedVerb): Mutant {
  return priority.view(id, [verb], ({ index }) => {
    const has = (tag: string): boolean =>
      index.satisfied.has(tag) && [...index.providers.of(tag)].every(({ stage }) => stage !== 'Pending');
    return { satisfied: over(index.satisfied, () => ({ has })) };
  });
}

/** P12: who stays of those that the chain gives back. */
export const returningMutants: readonly Mutant[] = [
  dragging('losers-of-an-undoing-take-others-with-them', 'rollback', 'conflict'),
  dragging('losers-of-a-block-take-others-with-them', 'confirm', 'conflict'),
  dragging('circles-take-others-with-them', 'rollback', 'cycle'),
  unhindered('returns-to-a-spent-tag', 'rollback'),
  unhindered('taken-back-to-a-spent-tag', 'confirm'),
];

/** A fault in what is told to be stale. */
function listing(
  id: string,
  change: (found: StaleTransaction[], index: PoolIndex, height: number) => StaleTransaction[],
): Mutant {
  return priority.around(id, {
    stale: async ({ whole, index, given: [height, limit, context] }) =>
      change([...(await whole.stale(height, 1_000, context))], index, height).slice(0, limit),
  });
}

/** A fault in the version of the revisions that arrive. */
function versioned(id: string, isMeant: (revision: CheckedRevision) => boolean): Mutant {
  return priority.givenEach(id, {
    revise: (one, { index }) => isMeant(one) && { version: index.node(one.hash)?.entry.version ?? 1 },
  });
}

/** A fault in the verdicts that arrive, by those before. */
function verdicts(id: string, change: (verdict: CheckedVerdict, before: CheckedVerdict) => Partial<CheckedVerdict>) {
  return priority.givenEach(id, {
    revise: ({ answer, hash }, { index }) => {
      const before = index.node(hash)?.entry.verdict;
      if (isRefusal(answer) || before === undefined) return false;
      return { answer: { ...answer, ...change(answer, before) } };
    },
  });
}

/** A field of a new verdict is not taken. */
function notTaken(id: string, field: keyof CheckedVerdict): Mutant {
  return verdicts(id, (_, before) => ({ [field]: before[field] }));
}

/** A fault in the entry that a new verdict makes. */
function entered(id: string, change: (entry: Entry, before: Entry | undefined) => Partial<Entry>): Mutant {
  return priority.view(id, ['revise'], ({ index }) => ({
    put: (entry, stage) => index.put({ ...entry, ...change(entry, index.node(entry.hash)?.entry) }, stage),
  }));
}

const isOwn = (verdict: CheckedVerdict, before: CheckedVerdict): boolean =>
  verdict.sender === before.sender && [...verdict.provides].sort().join() === [...before.provides].sort().join();

/** P11. */
export const recheckMutants: readonly Mutant[] = [
  listing('stale-by-seq', (found) => found.sort((a, b) => a.seq - b.seq)),
  priority.each('stale-without-version', { stale: () => ({ version: 0 }) }),
  priority.given('stale-at-the-very-height', { stale: (height) => height + 1 }),
  listing('parked-never-stale', (found, index) => found.filter(({ hash }) => index.node(hash)?.place?.ready === true)),
  priority.around('stale-limit-ignored', {
    stale: ({ whole, given: [height, _, context] }) => whole.stale(height, 1_000, context),
  }),
  versioned('stale-verdict-wins', () => true),
  versioned('stale-refusal-wins', ({ answer }) => isRefusal(answer)),
  notTaken('new-gas-not-taken', 'gas'),
  notTaken('new-expiry-not-taken', 'expiresAt'),
  notTaken('new-height-not-taken', 'expiresAtHeight'),
  notTaken('new-privacy-not-taken', 'propagate'),
  verdicts('other-tags-and-senders-put-right', (verdict, { provides, sender }) =>
    isOwn(verdict, { ...verdict, provides, sender }) ? {} : { provides, sender },
  ),
  entered('version-not-counted', ({ version }) => ({ version: version - 1 })),
  entered('checked-height-never-lowered', ({ checkedHeight }, before) => ({
    checkedHeight: Math.max(checkedHeight, before?.checkedHeight ?? 0),
  })),
  entered('admitted-anew-by-a-verdict', ({ checkedHeight }) => ({ admittedHeight: checkedHeight })),
  priority.moves('versions-count-moves', ['move'], ({ version }) => ({ version: version + 1 })),
  priority.view('versions-count-places', ['drop'], ({ index }) => ({
    place: (node, place) => {
      index.move(node, node.stage, { ...node.entry, version: node.entry.version + 1 });
      index.place(node, place);
    },
  })),
  priority.told('refused-in-flight-is-dropped', {
    revise: async (told, { whole, given: [revisions] }) => {
      const refused = revisions.filter(({ answer }, i) => isRefusal(answer) && told[i]?.kind === 'skipped');
      const hashes = refused.map(({ hash }) => hash);
      await whole.drop(hashes, 'invalid', free);
    },
  }),
  priority.only('skipped-left-out', { revise: ({ kind }) => kind !== 'skipped' }),
  priority.limits('new-gas-without-limit', ['revise'], () => ({ maxTxGas: Number.POSITIVE_INFINITY })),
  priority.limits('new-ancestors-without-limit', ['revise'], () => ({ maxAncestors: 100 })),
  priority.limits('new-descendants-without-limit', ['revise'], () => ({ maxDescendants: 1_000 })),
  priority.limits('new-gas-of-the-limit-too-much', ['revise'], ({ maxTxGas }) => ({ maxTxGas: maxTxGas - 1 })),
  priority.around('verdicts-from-the-last-to-the-first', {
    revise: async ({ whole, given: [all, ...rest] }) =>
      [...(await whole.revise([...all].reverse(), ...rest))].reverse(),
  }),
  priority.decided('limits-take-back-what-a-refusal-parks', ['revise'], ({ outcome }, { index }) => {
    const kinds = (outcome as ReviseOutcome[]).map(({ kind }) => kind);
    const isMeant = kinds.includes('dropped') && kinds.includes('limit');
    for (const node of isMeant ? [...index.parked] : [])
      if (node.place) index.place(node, { ...node.place, ready: true });
    return null;
  }),
  priority.around('bad-verdicts-leave-the-good-ones', {
    revise: async ({ whole, given: [revisions, ...rest] }) => {
      const told: ReviseOutcome[] = [];
      for (const one of revisions) told.push(...(await whole.revise([one], ...rest)));
      return told;
    },
  }),
];
