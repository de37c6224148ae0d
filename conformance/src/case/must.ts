import type { CaseContext, ConformanceCase, Need } from './case.ts';

/** A case that every backend must pass; its rule is the part of `id` before the slash. */
export function must(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return { id, level: 'MUST', rule: id.slice(0, id.indexOf('/')), title, since: '0.1.0', needs, run };
}

/** The stages in which a transaction waits for the block that carries it. */
export const flyingStages = ['Propagated', 'Acknowledged'] as const;
export type FlyingStage = (typeof flyingStages)[number];

/** A case about what waits for a block, in each stage in which a transaction does, on a pool of its own. */
export function mustInFlight(
  id: string,
  title: string,
  run: (context: CaseContext, stage: FlyingStage) => Promise<void>,
  needs: readonly Need[] = [],
): ConformanceCase {
  const inEach = async (context: CaseContext): Promise<void> => {
    for (const stage of flyingStages) await run({ ...context, open: context.openOther }, stage);
  };
  return must(id, title, inEach, needs);
}

/** A case about an election; `needs` on top of that. */
export function mustElect(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return must(id, title, run, ['election', ...needs]);
}

/** A case about a pool and the lease that guards it. */
export function mustFence(id: string, title: string, run: ConformanceCase['run']): ConformanceCase {
  return mustElect(id, title, run, ['lease']);
}

/** A case about pools with limits and an order of their own; `needs` on top of that. */
export function mustRank(
  id: string,
  title: string,
  run: ConformanceCase['run'],
  needs: readonly Need[] = [],
): ConformanceCase {
  return must(id, title, run, ['priority', ...needs]);
}

/** A case about what a pool in order of arrival has of the verbs of pools with limits. */
export function mustArrive(id: string, title: string, run: ConformanceCase['run']): ConformanceCase {
  return must(id, title, run, ['arrival-verbs']);
}
