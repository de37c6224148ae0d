import type { StoreEvent } from '../contract/events.ts';
import type { FifoRecord } from '../rules/fifo-claims.ts';
import type { OperationRecord, Write } from '../rules/step.ts';
import type { KeptBlock } from './kept-blocks.ts';

/** A piece of a ledger's state: plain data, for a file of any format. */
export type LedgerRecord =
  | {
      readonly kind: 'base';
      readonly tick: number;
      readonly floor: number;
      readonly lastSeq: number;
      /** Numbers of the newest log entry and of the newest event that are not kept any more. */
      readonly trimmedLog: number;
      readonly trimmedEvents: number;
      /** Only where there is something of it. */
      readonly fifo?: FifoRecord | null;
    }
  | { readonly kind: 'block'; readonly block: KeptBlock }
  /** A live record, or a log entry: with a body where no later life of its hash has it. */
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'event'; readonly event: StoreEvent }
  | { readonly kind: 'operation'; readonly operation: OperationRecord };
