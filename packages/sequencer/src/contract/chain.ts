/** The events of a chain about epochs. The process that follows the chain passes them to `EpochMonitor.apply`. */
export type ChainEvent =
  /** An epoch begins: its window is open until `closesAt`. */
  | {
      readonly kind: 'released';
      readonly epoch: number;
      readonly closesAt: number;
      readonly validators: readonly string[];
    }
  /** A relayer has taken the agreed result to send it. */
  | { readonly kind: 'queued'; readonly epoch: number }
  /** It was sent to the chain. */
  | { readonly kind: 'submitted'; readonly epoch: number; readonly transaction: string }
  /** The chain carries this root. */
  | { readonly kind: 'confirmed'; readonly epoch: number; readonly root: string; readonly transaction: string }
  /** A reorganisation undid the block with it. */
  | { readonly kind: 'undone'; readonly epoch: number }
  /** The chain refused it for good. */
  | { readonly kind: 'refused'; readonly epoch: number; readonly reason: string }
  /** No reorganisation can undo it any more. */
  | { readonly kind: 'finalized'; readonly epoch: number; readonly root: string };

/** The record of a release with which no epoch can be opened. */
export interface RefusedRelease {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
