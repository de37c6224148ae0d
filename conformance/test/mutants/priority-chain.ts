import type { KnownStage, PoolDump } from 'mempool-core';
import type { CheckedBlock, CheckedSubmission, Entry, PoolIndex, PoolNode, ReadContext } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { lentTags, type RankedVerb, ranking, type Seen, seeing, settling } from './priority-pool.ts';

function blocked(id: string, change: (block: CheckedBlock, index: PoolIndex) => Partial<CheckedBlock>): Mutant {
  return ranking(id, (driver, { index }) => ({
    confirm: (block, context) => driver.confirm({ ...block, ...change(block, index) }, context),
  }));
}

/** A fault in the tags that a call satisfies. */
function satisfying(
  id: string,
  change: (tag: string, tick: number, block: CheckedBlock, index: PoolIndex) => readonly [string, number] | null,
): Mutant {
  return seeing(id, ['confirm'], ({ index, given }) => ({
    satisfy: (tag, tick) => {
      const made = change(tag, tick, given[0] as CheckedBlock, index);
      if (made !== null) index.satisfy(...made);
    },
  }));
}

/** Somebody whom the rules do not find among those who provide a tag. */
function hiding(
  id: string,
  verbs: readonly RankedVerb[],
  isHidden: (node: PoolNode) => boolean,
  more: (index: PoolIndex) => Partial<PoolIndex> = () => ({}),
): Mutant {
  return seeing(id, verbs, ({ index }) => {
    const of = (tag: string) => new Set([...index.providers.of(tag)].filter((node) => !isHidden(node)));
    const { providers } = index;
    return { providers: lentTags(of, (tag) => providers.has(tag)), ...more(index) };
  });
}

/** An entry that does not come back as it was. */
function forgetful(
  id: string,
  change: (entry: Entry) => Partial<Entry>,
  stages: readonly KnownStage[] = ['Dropped', 'Finalized'],
): Mutant {
  return seeing(id, ['confirm', 'rollback', 'drop'], ({ index }) => ({
    move: (node, stage, entry = node.entry) =>
      index.move(node, stage, stages.includes(stage) ? { ...entry, ...change(entry) } : entry),
  }));
}

/** What would close a circle is dropped for another reason. */
function circled(id: string, verb: RankedVerb): Mutant {
  return reasoned(id, [verb], 'cycle', 'conflict');
}

/** Another reason than the one due. */
function reasoned(id: string, verbs: readonly RankedVerb[], due: string, told: string): Mutant {
  return settling(id, verbs, (step) => ({
    ...step,
    writes: step.writes.map(({ after, ...rest }) => ({
      ...rest,
      after: after.reason === due ? { ...after, reason: told } : after,
    })),
  }));
}

/** The tags that the chain satisfied, with other ones that nobody misses. */
function idling(id: string, verbs: readonly RankedVerb[], idleIn: (seen: Seen) => readonly string[]): Mutant {
  return seeing(id, verbs, (seen) => ({
    satisfied: over(seen.index.satisfied, () => ({ idle: () => [...idleIn(seen)] })),
  }));
}

const belowFloor = ({ index, ledger }: Seen): string[] =>
  index.satisfied.entries().flatMap(([tag, tick]) => (tick < ledger.floor ? [tag] : []));

const isFinalOf = (index: PoolIndex, tag: string): boolean =>
  [...index.nodes()].some(({ stage, entry }) => stage === 'Finalized' && entry.verdict.provides.includes(tag));

/** P12. */
export const chainTagMutants: readonly Mutant[] = [
  blocked('tags-of-blocks-ignored', () => ({ provides: [] })),
  blocked('first-tag-of-a-block-alone', ({ provides }) => ({ provides: provides.slice(0, 1) })),
  satisfying('blocks-spend-but-satisfy-nothing', (tag, tick, _, index) => (isFinalOf(index, tag) ? [tag, tick] : null)),
  satisfying('satisfied-at-once-for-ever', (tag, _) => [tag, 0]),
  satisfying('satisfied-by-the-latest-block', (tag, tick, _, index) => {
    index.forget(tag);
    return [tag, tick];
  }),
  satisfying('final-tags-not-satisfied', (tag, tick, { provides }) => (provides.includes(tag) ? [tag, tick] : null)),
  satisfying('final-tags-from-the-block-that-made-them-final', (tag, tick, { provides }) =>
    provides.includes(tag) ? [tag, tick] : [tag, tick + 1],
  ),
  seeing('satisfied-tags-not-withdrawn', ['rollback'], ({ index }) => ({
    forget: () => undefined,
    satisfied: index.satisfied,
  })),
  seeing('satisfied-tags-withdrawn-altogether', ['rollback'], ({ index }) => ({
    forget: (tag) => {
      for (const [other] of index.satisfied.entries()) index.forget(other);
      index.forget(tag);
    },
  })),
  idling('needed-tags-forgotten', ['confirm'], belowFloor),
  idling('tags-needed-by-the-log-forgotten', ['confirm'], (seen) =>
    belowFloor(seen).filter((tag) => [...seen.index.dependents.of(tag)].every(({ stage }) => stage === 'Finalized')),
  ),
  idling('tags-needed-by-dropped-ones-forgotten', ['confirm'], (seen) =>
    belowFloor(seen).filter((tag) => !seen.index.dependents.has(tag)),
  ),
  hiding('conflict-by-block-missing', ['confirm'], ({ stage }) => stage !== 'Confirmed' && stage !== 'Finalized'),
  hiding(
    'conflict-spares-what-is-in-flight',
    ['confirm'],
    ({ stage }) => stage === 'Propagated' || stage === 'Acknowledged',
  ),
  ranking('conflict-takes-confirmed-ones-too', (driver, { index }) => ({
    confirm: async (block, context) => {
      const spent = block.provides
        .flatMap((tag) => [...index.providers.of(tag)])
        .filter(({ stage }) => stage === 'Confirmed');
      const hashes = spent.map(({ hash }) => hash).filter((hash) => !block.seen.includes(hash));
      return driver.confirm({ ...block, unseen: [...block.unseen, ...hashes] }, context);
    },
  })),
  seeing('conflicts-with-our-own-not-noticed', ['confirm'], ({ index, given }) => {
    const { provides } = given[0] as CheckedBlock;
    const isFound = (tag: string, { stage }: PoolNode) => stage !== 'Pending' || provides.includes(tag);
    const of = (tag: string) => new Set([...index.providers.of(tag)].filter((node) => isFound(tag, node)));
    return { providers: lentTags(of, (tag) => index.providers.has(tag)) };
  }),
  reasoned('conflict-told-as-stale', ['confirm', 'rollback'], 'conflict', 'stale'),
  ranking('conflicts-not-counted-as-dropped', (driver) => ({
    confirm: async (...given) => {
      const outcome = await driver.confirm(...given);
      return outcome.kind === 'applied' ? { ...outcome, dropped: 0 } : outcome;
    },
  })),
  ranking('returned-counts-those-that-were-dropped', (driver) => ({
    rollback: async (...given) => {
      const outcome = await driver.rollback(...given);
      return outcome.kind === 'rolled-back' ? { ...outcome, returned: Math.max(1, outcome.returned) } : outcome;
    },
  })),
  ranking('spent-ones-return-with-a-rollback', (driver, { index }) => ({
    rollback: async (point, context) => {
      const outcome = await driver.rollback(point, context);
      const spent = [...index.nodes()].filter(
        ({ stage, entry }) => stage === 'Dropped' && entry.verdict.provides.length > 0,
      );
      const moment = { now: null, height: null };
      const again = spent.map(({ hash, entry }) => ({
        hash,
        payload: new Uint8Array(entry.bytes),
        payloadType: 0,
        verdict: entry.verdict,
        from: null,
      }));
      await driver.admit(again, moment, { ...context, operationId: undefined });
      return outcome;
    },
  })),
  ranking('blocks-not-applied-satisfy-too', (driver, { index }) => ({
    confirm: async (block, context) => {
      const outcome = await driver.confirm(block, context);
      if (outcome.kind !== 'applied') for (const tag of block.provides) index.satisfy(tag, outcome.tip.tick);
      return outcome;
    },
  })),
  ranking('seen-by-the-chain-but-held-to-limits', (driver, { index }) => ({
    admit: async (submissions, ...rest) => {
      const [one] = submissions;
      if (one !== undefined && one.verdict.gas > index.limits.maxTxGas)
        return submissions.map(({ hash }) => ({ kind: 'limit', hash, limit: 'maxTxGas' }));
      return driver.admit(submissions, ...rest);
    },
  })),
  seeing('received-confirmed-spares-its-rival', ['admit'], ({ given, ledger }) => {
    const [one] = given[0] as readonly CheckedSubmission[];
    const isOnChain = one !== undefined && ledger.sighting(one.hash) !== null;
    return isOnChain ? { providers: lentTags(() => new Set()) } : {};
  }),
  seeing('parked-ones-not-confirmed', ['confirm'], ({ index, given }) => {
    const { seen } = given[0] as CheckedBlock;
    const isParked = (hash: string) => seen.includes(hash) && index.node(hash)?.place?.ready === false;
    return { move: (node, stage, entry) => (isParked(node.hash) ? node : index.move(node, stage, entry)) };
  }),
  hiding('returned-beside-a-confirmed-rival', ['rollback', 'confirm'], ({ stage }) => stage === 'Confirmed'),
  hiding('both-return', ['rollback'], ({ stage }) => stage === 'Pending'),
  circled('circles-of-an-undoing-told-as-conflicts', 'rollback'),
  circled('circles-of-a-block-told-as-conflicts', 'confirm'),
  forgetful('verdict-lost-at-finalization', ({ verdict }) => ({ verdict: { ...verdict, priority: 0n } }), [
    'Finalized',
  ]),
  forgetful('verdict-lost-when-dropped', ({ verdict }) => ({ verdict: { ...verdict, priority: 0n } }), ['Dropped']),
  forgetful('sources-lost-in-the-log', () => ({ sources: [] })),
  forgetful('version-begins-anew-in-the-log', () => ({ version: 1 })),
  forgetful('times-begin-anew-in-the-log', ({ admittedAt }) => ({ admittedAt: admittedAt + 500 })),
  ranking('entries-outlive-the-log', (driver) => {
    const gone = new Map<string, PoolDump['entries'][number]>();
    const noted = async (context: ReadContext): Promise<PoolDump> => {
      const dump = await driver.dumpPool(context);
      for (const entry of dump.entries) gone.set(entry.hash, entry);
      return { ...dump, entries: [...gone.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1)) };
    };
    return {
      drop: async (hashes, reason, context) => {
        await noted(context);
        return driver.drop(hashes, reason, context);
      },
      dumpPool: noted,
    };
  }),
  ranking('revived-only-where-there-is-room', (driver, { index }) => ({
    confirm: async (block, context) => {
      const { totals, limits } = index;
      const isFull = totals.transactions >= limits.maxTxs;
      return driver.confirm({ ...block, unseen: isFull ? [] : block.unseen }, context);
    },
  })),
];
