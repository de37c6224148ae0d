import type { KnownStage } from 'mempool-core';
import type { PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { priority, type RankedDriver, type RankedVerb, type Seen } from './priority-pool.ts';

/** Who goes pushes out those who came later and provide the same, whatever it goes for. */
function dragging(id: string, verb: 'confirm' | 'rollback', reason: string): Mutant {
  return priority.every(id, [verb], async ({ whole, index, ledger, given }) => {
    const before = new Map(Array.from(index.nodes(), ({ hash, stage }) => [hash, stage]));
    const outcome = await (whole[verb] as (...all: readonly unknown[]) => unknown)(...given);
    const isLoser = ({ hash, stage }: PoolNode) =>
      stage === 'Dropped' && before.get(hash) === 'Confirmed' && ledger.life(hash)?.reason === reason;
    await dropRivals(whole, index, [...index.nodes()].filter(isLoser));
    return outcome;
  });
}

async function dropRivals(driver: RankedDriver, index: PoolIndex, losers: readonly PoolNode[]): Promise<void> {
  for (const { seq, entry } of losers) {
    const rivals = entry.verdict.provides.flatMap((tag) => [...index.providers.of(tag)]);
    const later = rivals.filter((rival) => rival.seq > seq).map(({ hash }) => hash);
    await driver.drop([...new Set(later)], 'conflict', free);
  }
}

/** What the chain has satisfied does not hinder those who return. */
function unhindered(id: string, verb: RankedVerb): Mutant {
  return priority.view(id, [verb], ({ index }) => {
    const has = (tag: string): boolean =>
      index.satisfied.has(tag) && [...index.providers.of(tag)].every(({ stage }) => stage !== 'Pending');
    return { satisfied: over(index.satisfied, () => ({ has })) };
  });
}

/** Other lists of who was checked when, for an undoing. */
function undoing(id: string, isFound: (node: PoolNode, seen: Seen) => boolean): Mutant {
  return priority.view(id, ['rollback'], (seen) => {
    const { checked, checkedAway } = seen.index.ages;
    const lent = ({ list }: typeof checked) => ({
      list: { after: (height: number) => [...list.after(height)].filter((node) => isFound(node, seen)) },
    });
    return { ages: { checked: lent(checked), checkedAway: lent(checkedAway) } as unknown as PoolIndex['ages'] };
  });
}

const away: readonly KnownStage[] = ['Propagated', 'Acknowledged', 'Confirmed'];

/** P12: who stays of those that the chain gives back. */
export const returningMutants: readonly Mutant[] = [
  dragging('losers-of-an-undoing-take-others-with-them', 'rollback', 'conflict'),
  dragging('losers-of-a-block-take-others-with-them', 'confirm', 'conflict'),
  dragging('circles-take-others-with-them', 'rollback', 'cycle'),
  unhindered('returns-to-a-spent-tag', 'rollback'),
  unhindered('taken-back-to-a-spent-tag', 'confirm'),
];

/** P11: verdicts of blocks that are undone. */
export const forkMutants: readonly Mutant[] = [
  undoing('forks-of-the-same-height-not-noticed', () => false),
  undoing(
    'forks-of-callers-heights-not-noticed',
    ({ entry }, { ledger }) => entry.checkedHeight <= ledger.currentTip.tick,
  ),
  undoing('forks-do-not-concern-what-is-in-flight', ({ stage }) => !away.includes(stage)),
  undoing('forks-do-not-concern-what-waits', ({ stage }) => stage !== 'Pending'),
  priority.told('forks-make-all-stale', {
    rollback: (_, { index }) => {
      for (const node of [...index.nodes()]) index.move(node, node.stage, { ...node.entry, checkedHeight: 0 });
    },
  }),
];
