import { type ExtensionParts, type Metric, type Opened, z } from 'mempool-server/extension';
import type { EpochBoard } from '../board/epoch-board.ts';
import type { EpochRow } from '../board/epoch-row.ts';
import { gapKinds } from '../rules/gaps.ts';
import { epochEndpoints } from './epoch-endpoints.ts';

type Opening = Pick<EpochRow, 'openedAt' | 'closesAt'>;

/** Left out if there is no epoch. */
const gauges: readonly Metric<Opening>[] = [
  {
    name: 'mempool_epoch_release_late_seconds',
    help: 'How long after the end of its window the release of the newest epoch was read. 0: it was read in time.',
    read: ({ openedAt, closesAt }) => Math.max(0, openedAt - closesAt) / 1_000,
  },
];

const boardGauges: readonly Metric<EpochBoard>[] = [
  {
    name: 'mempool_epochs_open',
    help: 'Epochs that are neither complete nor failed.',
    read: (board) => board.active().length,
  },
  {
    name: 'mempool_epoch_gaps',
    help: 'Epochs in which this part is missing after its grace.',
    labelNames: ['kind'],
    read: (board) => {
      const open = board.gaps().filter(({ resolvedAt }) => resolvedAt === null);
      return gapKinds.map((kind) => [{ kind }, open.filter((gap) => gap.kind === kind).length]);
    },
  },
  {
    name: 'mempool_epoch_participation',
    help: "The share of the kept epochs with a validator's batch.",
    labelNames: ['validator'],
    read: (board) =>
      board
        .summary()
        .validators.flatMap(({ validator, participation }) =>
          participation === null ? [] : [[{ validator }, participation] as const],
        ),
  },
];

/** The paths and metrics of a board. The caller closes the board. */
export function servedEpochs(board: EpochBoard, { metrics }: Pick<ExtensionParts, 'metrics'>): Opened {
  metrics.gauges(gauges, () => board.rows()[0] ?? null);
  metrics.gauges(boardGauges, () => board);
  const schema = z.boolean().openapi({ description: 'true: the server watches the epochs of a sequencer.' });
  return {
    endpoints: epochEndpoints(board),
    poolField: { name: 'epochs', schema, value: () => true },
  };
}
