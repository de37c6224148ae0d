import type { Life } from './lifecycle.ts';
import type { ChainPoint } from './transaction.ts';

/** What memory keeps of a hash that is live or in the log. The point is its own, since it outlives the kept blocks (L12). */
export interface Row {
  life: Life;
  point: ChainPoint | null;
  readonly payload: Uint8Array;
  readonly payloadType: number;
}
