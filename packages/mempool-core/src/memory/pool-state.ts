import { assertWritable } from '../codec/payload-bytes.ts';
import type { Retention } from '../contract/options.ts';
import type { NumbersPart } from '../contract/transfer.ts';
import type { Step } from '../rules/step.ts';
import { EventLog } from './event-log.ts';
import { FifoRows } from './fifo-rows.ts';
import { KeptBlocks } from './kept-blocks.ts';
import { NamedRecords } from './named-records.ts';
import { OperationRecords } from './operation-records.ts';
import { Rows } from './rows.ts';

/** The state of a pool in memory, and the operations that change all of it. */
export class PoolState {
  retention: Retention;
  readonly rows: Rows = new Rows();
  readonly fifo: FifoRows = new FifoRows(this.rows);
  readonly blocks: KeptBlocks = new KeptBlocks();
  readonly events: EventLog = new EventLog();
  readonly operations: OperationRecords = new OperationRecords();
  readonly records: NamedRecords = new NamedRecords();
  readonly listeners: Set<() => void> = new Set();
  readonly #onForget: (hash: string) => void;

  constructor(retention: Retention, onForget: (hash: string) => void) {
    this.retention = retention;
    this.#onForget = onForget;
  }

  apply(step: Step<unknown>): void {
    const { rows } = this;
    const { writes, events, chain, operation, record } = step;
    // A mirror keeps no events, and a step without events has no time.
    const at = step.at ?? 0;
    assertWritable(writes);
    this.fifo.apply(step);
    if (chain !== null) this.blocks.apply(chain);
    for (const write of writes) rows.write(write, at);
    for (const event of events) this.events.add(event, at);
    while (rows.log.length > this.retention.maxFinalized) {
      const hash = rows.forget();
      if (hash !== null) this.#onForget(hash);
    }
    if (operation !== null) this.operations.add(operation);
    if (record) {
      this.records.apply(record);
      // A record makes no event, but no later call has an earlier time (E5).
      this.events.lastAt = Math.max(this.events.lastAt, at);
    }
    if (events.length === 0) return;
    this.events.trim(this.retention.maxEvents);
    for (const listener of this.listeners) listener();
  }

  /** Sets the numbers of a pool that is filled by an import. */
  setNumbers({ tip, floor, lastSeq, lastLogSeq, lastAt, retention }: NumbersPart): void {
    this.retention = retention;
    this.rows.lastSeq = lastSeq;
    if (this.rows.log.length === 0) this.rows.log.last = lastLogSeq;
    Object.assign(this.blocks, { tick: tip.tick, floor });
    this.events.lastAt = lastAt;
  }
}
