// The entry `mempool-sequencer/server`: the epochs of a validator under `/api/v1/epochs` of a server.
import { defineExtension, type Extension } from 'mempool-server/extension';
import { openEpochs } from './open-epochs.ts';
import { located, type SequencerSection, section } from './section.ts';

export {
  EpochBoard,
  type EpochBoardOptions,
  type EpochSummary,
  type EpochWorker,
  type PeriodTotals,
  type QueueStatus,
} from '../board/epoch-board.ts';
export type { EpochRow } from '../board/epoch-row.ts';
export type { Moment, ShownEpoch, ShownSubmissions } from '../board/epoch-views.ts';
export type { SubmissionCounts } from '../board/submission-counts.ts';
export type { EpochTotals, ShownTotals } from '../board/totals.ts';
export type { SequencerSection } from './section.ts';
export { servedEpochs } from './served-epochs.ts';

/** The epochs of a validator: the section `[sequencer]`. */
const extension: Extension<SequencerSection> = defineExtension({
  section: 'sequencer',
  schema: section,
  complete: located,
  open: openEpochs,
});

export default extension;
