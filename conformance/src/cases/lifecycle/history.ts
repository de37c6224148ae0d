import type { ConformanceCase } from '../../case/case.ts';
import { checkHistory } from '../../histories/pool-history.ts';

const steps = 300;

/** Each with a seed of its own, which the suite's seed decides. */
function historyCase(n: number): ConformanceCase {
  return {
    id: `history/random-${n}`,
    level: 'MUST',
    rule: 'history',
    title: `after each of ${steps} random calls, outcomes, events and state are as the rules say`,
    since: '0.1.0',
    run: ({ openOther, random, signal }) => checkHistory({ seed: random.uint32(), steps, open: openOther, signal }),
  };
}

/** Cases with random calls, for faults that only a combination of rules shows. */
export const historyCases: readonly ConformanceCase[] = [1, 2, 3].map(historyCase);
