// A process of its own that measures one backend in one pass.
import { footprintGoals } from '../goals/footprint.ts';
import { ledgerGoal } from '../goals/ledger.ts';
import { type Sampled, take } from '../goals/measure.ts';
import { nodesGoals } from '../goals/nodes.ts';
import { type BackendName, backendOf } from '../limits/backend.ts';
import type { Series } from '../report/row.ts';
import { type BenchContext, isWanted } from '../setup/context.ts';
import { serve } from './process.ts';
import { allSeries } from './series.ts';

export interface Measured {
  readonly series: readonly Series[];
  readonly sampled: readonly Sampled[];
}

serve(async (name: BackendName, context: BenchContext): Promise<Measured> => {
  const backend = await backendOf(name, context);
  const series = await allSeries(backend, context);
  const sampled: Sampled[] = [];
  const shared = name === 'ephemeral' ? [] : [await ledgerGoal(name, context), ...nodesGoals(backend, context)];
  for (const measure of [...footprintGoals(backend, context), ...shared]) {
    if (!isWanted(context, measure)) continue;
    console.error(`${name}: ${measure.title}`);
    await context.redis?.client.flushdb('SYNC');
    sampled.push(await take(measure, context));
  }
  return { series, sampled };
});
