import type { Ledger } from '../index.ts';

/** A ledger as a server serves it. The caller opens and closes it. */
export interface ServedLedger {
  readonly ledger: Ledger;
  /** Of a request that names no currency. */
  readonly currency: string;
  /** How many decimal places of an amount a program shows. */
  readonly decimals: number;
}
