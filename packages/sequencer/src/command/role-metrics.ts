import type { Metric } from 'mempool-server/extension';
import type { Sequencer } from '../sequencer.ts';
import { maxTotalBytes } from '../store/records.ts';

/** The metrics of one process of a validator. */
export const roleGauges: readonly Metric<Sequencer>[] = [
  {
    name: 'mempool_sequencer_clock_offset_seconds',
    help: "By how much this process's clock was ahead of the store's when they were last compared; negative: behind.",
    read: ({ clock }) => clock.offsetMs / 1_000,
  },
  {
    name: 'mempool_sequencer_records_used_ratio',
    help: 'The share of the room for records that is used, as the leader last counted it. Left out elsewhere.',
    read: ({ monitor }) => (monitor.recordBytes === 0 ? null : monitor.recordBytes / maxTotalBytes),
  },
  {
    name: 'mempool_sequencer_overtaken_total',
    help: 'Submissions of the time of the window that came after the tally, because the store lost writes.',
    read: ({ dequeuer }) => dequeuer.overtaken,
  },
];
