import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { makeHistory } from '../../histories/pool-calls.ts';
import { historyOptions } from '../../histories/pool-history.ts';

export const processCases: readonly ConformanceCase[] = mustEach({
  'R2/process-ends: after close nothing of the store keeps the process alive': async (context) => {
    const { calls } = await makeHistory(context.random.uint32(), 40, historyOptions);
    const child = await context.fork('finish', { calls });
    await child.exited();
  },
  'R2/process-ends-unused: a store that was only opened and closed does not hold the process': async (context) => {
    const child = await context.fork('finish', { calls: [] });
    await child.exited();
  },
}).map(needing('child-process'));
