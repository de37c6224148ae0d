import type { ReviseOutcome, StaleTransaction } from 'mempool-core';
import type { CheckedRevision, CheckedVerdict, PoolIndex, PriorityPool } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { limiting, type RankedDriver, ranked, ranking, seeing, settling } from './priority-pool.ts';

/** A fault in what is told to be stale. */
function listing(
  id: string,
  change: (found: StaleTransaction[], index: PoolIndex, height: number) => StaleTransaction[],
): Mutant {
  return ranking(id, (driver, { index }) => ({
    stale: async (height, limit, context) =>
      change([...(await driver.stale(height, 1_000, context))], index, height).slice(0, limit),
  }));
}

/** A fault in the revisions that arrive. */
function revising(id: string, change: (revision: CheckedRevision, index: PoolIndex) => CheckedRevision): Mutant {
  return ranking(id, (driver, { index }) => ({
    revise: (revisions, ...rest) =>
      driver.revise(
        revisions.map((one) => change(one, index)),
        ...rest,
      ),
  }));
}

function asVerdict(
  id: string,
  change: (verdict: CheckedVerdict, before: CheckedVerdict, index: PoolIndex) => Partial<CheckedVerdict>,
): Mutant {
  return revising(id, (revision, index) => {
    const { answer, hash } = revision;
    const before = index.node(hash)?.entry.verdict;
    if ('refusal' in answer || before === undefined) return revision;
    return { ...revision, answer: { verdict: { ...answer.verdict, ...change(answer.verdict, before, index) } } };
  });
}

/** A fault in the outcomes of a recheck. */
function outcome(
  id: string,
  change: (
    told: ReviseOutcome[],
    driver: RankedDriver,
    pool: PriorityPool,
    given: readonly CheckedRevision[],
  ) => ReviseOutcome[] | Promise<ReviseOutcome[]>,
): Mutant {
  return ranking(id, (driver, pool) => ({
    revise: async (revisions, ...rest) => change(await driver.revise(revisions, ...rest), driver, pool, revisions),
  }));
}

/** A fault in the entry that a new verdict makes. */
function entered(id: string, change: (entry: Parameters<PoolIndex['put']>[0], index: PoolIndex) => object): Mutant {
  return seeing(id, ['revise'], ({ index }) => ({
    put: (entry, stage) => index.put({ ...entry, ...change(entry, index) }, stage),
  }));
}

const isOwn = (verdict: CheckedVerdict, before: CheckedVerdict): boolean =>
  verdict.sender === before.sender && [...verdict.provides].sort().join() === [...before.provides].sort().join();

/** P11. */
export const recheckMutants: readonly Mutant[] = [
  listing('stale-by-seq', (found) => found.sort((a, b) => a.seq - b.seq)),
  listing('stale-without-version', (found) => found.map((one) => ({ ...one, version: 0 }))),
  ranking('stale-at-the-very-height', (driver) => ({ stale: (height, ...rest) => driver.stale(height + 1, ...rest) })),
  listing('parked-never-stale', (found, index) => found.filter(({ hash }) => index.node(hash)?.place?.ready === true)),
  listing('in-flight-stale-too', (found, index, height) => {
    const flying = [...index.nodes()].filter(
      ({ stage, entry }) => stage === 'Propagated' && entry.checkedHeight < height,
    );
    return [
      ...flying.map(({ entry: { hash, seq, version, checkedHeight } }) => ({ hash, seq, version, checkedHeight })),
      ...found,
    ];
  }),
  ranking('stale-limit-ignored', (driver) => ({ stale: (height, _, context) => driver.stale(height, 1_000, context) })),
  revising('stale-verdict-wins', (revision, index) => ({
    ...revision,
    version: index.node(revision.hash)?.entry.version ?? 1,
  })),
  revising('stale-refusal-wins', (revision, index) =>
    'refusal' in revision.answer ? { ...revision, version: index.node(revision.hash)?.entry.version ?? 1 } : revision,
  ),
  asVerdict('new-priority-not-taken', (_, { priority }) => ({ priority })),
  asVerdict('new-gas-not-taken', (_, { gas }) => ({ gas })),
  asVerdict('new-needs-not-taken', (_, { requires }) => ({ requires })),
  asVerdict('new-expiry-not-taken', (_, { expiresAt }) => ({ expiresAt })),
  asVerdict('new-height-not-taken', (_, { expiresAtHeight }) => ({ expiresAtHeight })),
  asVerdict('new-privacy-not-taken', (_, { propagate }) => ({ propagate })),
  asVerdict('other-tags-and-senders-put-right', (verdict, { provides, sender }) =>
    isOwn(verdict, { ...verdict, provides, sender }) ? {} : { provides, sender },
  ),
  entered('version-not-counted', ({ version }) => ({ version: version - 1 })),
  entered('checked-height-never-lowered', (entry, index) => ({
    checkedHeight: Math.max(entry.checkedHeight, index.node(entry.hash)?.entry.checkedHeight ?? 0),
  })),
  entered('checked-height-not-noted', (entry, index) => ({
    checkedHeight: index.node(entry.hash)?.entry.checkedHeight ?? 0,
  })),
  entered('admitted-anew-by-a-verdict', ({ checkedHeight }) => ({ admittedHeight: checkedHeight })),
  ranking('verdict-without-height-is-of-nought', (driver) => ({
    revise: (revisions, moment, context) =>
      driver.revise(revisions, { ...moment, height: moment.height ?? 0 }, context),
  })),
  seeing('versions-count-moves', ['move'], ({ index }) => ({
    move: (node, stage, entry = node.entry) => index.move(node, stage, { ...entry, version: entry.version + 1 }),
  })),
  seeing('versions-count-places', ['drop'], ({ index }) => ({
    place: (node, place) => {
      index.move(node, node.stage, { ...node.entry, version: node.entry.version + 1 });
      index.place(node, place);
    },
  })),
  settling('refused-told-without-its-reason', ['revise'], (step) => ({
    ...step,
    writes: step.writes.map((write) => ({
      ...write,
      after: write.after.reason === 'invalid' ? { ...write.after, reason: 'dropped' } : write.after,
    })),
  })),
  outcome('refused-in-flight-is-dropped', async (told, driver, _, given) => {
    const refused = given
      .filter(({ answer }, i) => 'refusal' in answer && told[i]?.kind === 'skipped')
      .map(({ hash }) => hash);
    await driver.drop(refused, 'invalid', { signal: undefined, operationId: undefined });
    return told;
  }),
  outcome('skipped-left-out', (told) => told.filter(({ kind }) => kind !== 'skipped')),
  limiting('new-gas-without-limit', ['revise'], () => ({ maxTxGas: Number.POSITIVE_INFINITY })),
  limiting('new-ancestors-without-limit', ['revise'], () => ({ maxAncestors: 100 })),
  limiting('new-descendants-without-limit', ['revise'], () => ({ maxDescendants: 1_000 })),
  limiting('new-gas-of-the-limit-too-much', ['revise'], ({ maxTxGas }) => ({ maxTxGas: maxTxGas - 1 })),
  outcome('circles-of-verdicts-told-as-limits', (told) =>
    told.map((one) => (one.kind === 'cycle' ? { kind: 'limit', hash: one.hash, limit: 'maxAncestors' } : one)),
  ),
  outcome('refused-verdicts-count', (told, _, { index }) => {
    for (const { kind, hash } of told) {
      const node = index.node(hash);
      if ((kind === 'limit' || kind === 'cycle') && node)
        index.move(node, node.stage, { ...node.entry, version: node.entry.version + 1 });
    }
    return told;
  }),
  ranking('verdicts-from-the-last-to-the-first', (driver) => ({
    revise: async (revisions, ...rest) => [...(await driver.revise([...revisions].reverse(), ...rest))].reverse(),
  })),
  settling('limits-take-back-what-a-refusal-parks', ['revise'], (step, { index }) => {
    const kinds = (step.outcome as ReviseOutcome[]).map(({ kind }) => kind);
    if (!kinds.includes('dropped') || !kinds.includes('limit')) return step;
    for (const node of [...index.parked]) if (node.place) index.place(node, { ...node.place, ready: true });
    return step;
  }),
  ranked('bad-verdicts-leave-the-good-ones', {
    answer: (driver) => ({
      revise: async (revisions, moment, context) => {
        const told: ReviseOutcome[] = [];
        for (const one of revisions) told.push(...(await driver.revise([one], moment, context)));
        return told;
      },
    }),
  }),
];
