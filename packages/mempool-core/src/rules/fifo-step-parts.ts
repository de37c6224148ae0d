import type { ClaimRecord } from '../contract/pool-entry.ts';

/** What a call writes in a pool in order of arrival beside lives, events and blocks. */
export interface FifoStep {
  /** All that the step puts in flight is under this lease. */
  readonly taken: ClaimRecord | null;
  /** `null`: stays as it is. */
  readonly maxTxs: number | null;
}
