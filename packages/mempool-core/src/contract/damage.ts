/** A damaged record that a read skips (M2): a live transaction, or an entry of the log. */
export interface Damage {
  /** '' if the hash cannot be read. */
  readonly hash: string;
  readonly seq: number;
  /** The number of the log entry, if it is one. */
  readonly logSeq?: number;
}

/** Takes the damage that a driver meets. Core reports it once, and drops the transaction where that loses no money (M2). */
export type DamageReport = (found: Damage) => void;
