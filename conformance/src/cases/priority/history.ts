import type { ConformanceCase } from '../../case/case.ts';
import { checkPriorityHistory } from '../../histories/priority/history.ts';

const steps = 300;

/** All rules of priority pools together, as no case for a single one would think of. */
export const priorityHistoryCases: readonly ConformanceCase[] = [
  {
    id: 'history/priority',
    level: 'MUST',
    rule: 'history',
    title: `a history of ${steps} calls of chance in a priority pool has the outcomes, events and state that the rules give, after every call`,
    since: '0.1.0',
    needs: ['priority'],
    run: ({ openOther, random, signal }) =>
      checkPriorityHistory({ seed: random.uint32(), steps, open: openOther, signal }),
  },
];
