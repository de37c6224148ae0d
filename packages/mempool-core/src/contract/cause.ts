/** Why a transaction changed (E6). The index of a cause is its code in stored events: never reorder. */
export const causes = [
  'received',
  'marked',
  'taken',
  'acknowledged',
  'released',
  'claim-ended',
  'seen',
  'unseen',
  'block',
  'rolled-back',
  'dropped',
  'expired',
  'evicted',
  'replaced',
  'conflict',
  'cycle',
  'invalid',
  'flushed',
  'failed',
  'completed',
] as const;

/**
 * Why a transaction changed (E6):
 *
 * - `received`: a call of `receive`. It is Confirmed at once if a block carried it already (L13).
 * - `marked`, `acknowledged`, `completed`, `released`: a call of `markInflight`, `markAcknowledged`, `complete` or `release`.
 * - `taken`: a call of `take`. `claim-ended`: a call of `sweep` after the claim had ended.
 * - `seen`, `unseen`: a block named it in this list. `block`: it aged until a block made it Finalized or stale (L6).
 * - `rolled-back`: its confirming block was undone.
 * - `dropped`: a call of `drop`. `failed`: the same with the reason `failed`.
 * - `expired`, `evicted`, `replaced`, `conflict`, `cycle`, `invalid`, `flushed`: the pool dropped it for this reason.
 */
export type Cause = (typeof causes)[number];
