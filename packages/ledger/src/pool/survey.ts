import type { LogEntry, StoredTransaction, Transaction, TransactionStatus } from 'mempool-core';
import { isAtLeast, type Known, type Marks, type Position } from './marks.ts';
import type { Coupling } from './pool-options.ts';
import type { Progress } from './progress.ts';
import { dutyOf, type Settlement } from './settlement.ts';

const perCall = 1_000;

/**
 * Looks at all rows of the coupling, and compares them with the pool: for reservations that no event ends, because their submission
 * crashed before the receipt; for rows that are no longer necessary; and after events were lost.
 */
export class Survey {
  readonly #coupling: Coupling;
  readonly #marks: Marks;
  readonly #settlement: Settlement;
  readonly #orphanAfterMs: number;

  constructor(coupling: Coupling, marks: Marks, settlement: Settlement, orphanAfterMs: number) {
    this.#coupling = coupling;
    this.#marks = marks;
    this.#settlement = settlement;
    this.#orphanAfterMs = orphanAfterMs;
  }

  /**
   * Returns the reservations of submissions that are older than `orphanAfterMs` and whose transaction does not live. Once all events until
   * now are settled, those whose row has not changed have no event, so `Settlement.withdraw` may void them. Removes the rows of transactions
   * that the pool has forgotten.
   */
  async orphans(position: Progress): Promise<readonly Known[]> {
    const found: Known[] = [];
    const [oldest] = (await this.#coupling.pool.dumpFinalized({ limit: 1 })).entries;
    for await (const rows of this.#marks.rows()) {
      for (const some of chunks(rows)) {
        found.push(...(await this.#idleOf(some)));
        await this.#removeEnded(some, position, oldest);
      }
    }
    return found;
  }

  async #idleOf(rows: readonly Known[]): Promise<readonly Known[]> {
    const idle: Known[] = [];
    const unseen = rows.filter(({ row }) => row.open?.unseen);
    for (const [index, { stage }] of (await this.#statuses(unseen)).entries()) {
      const known = unseen[index];
      const duty = dutyOf(stage, this.#coupling.postOn);
      if (known === undefined || duty === 'reserved' || duty === 'carried') continue;
      const made = await this.#coupling.ledger.findTransfer(known.row.open?.id ?? '');
      if (made === null || made.at + this.#orphanAfterMs <= Date.now()) idle.push(known);
    }
    return idle;
  }

  /**
   * Removes rows of transactions that the pool does not know any more: no event can come, but from a pool that fell back. A block that a
   * rollback can reach may bring a transaction again.
   */
  async #removeEnded(rows: readonly Known[], position: Position, oldest: LogEntry | undefined): Promise<void> {
    const ended = rows.filter(({ row }) => {
      return row.open === null && isAtLeast(position, row) && row.at < (oldest?.at ?? Date.now());
    });
    if (ended.length === 0) return;
    const statuses = await this.#statuses(ended);
    const { points } = await this.#coupling.pool.tip({ points: Number.MAX_SAFE_INTEGER });
    const reach = points.at(-1)?.slot ?? Number.POSITIVE_INFINITY;
    for (const [index, { text, hash, row }] of ended.entries()) {
      if (statuses[index]?.stage !== 'Unknown' || (row.slot ?? 0) >= reach) continue;
      const known = await this.#marks.read(hash);
      if (known.text === text) await this.#marks.remove(known);
    }
  }

  /** Compares all rows and all transactions of the pool, after events were lost. */
  async compareAll({ generation }: Position): Promise<void> {
    const { pool } = this.#coupling;
    for await (const rows of this.#marks.rows()) await this.#compare(rows, generation);
    for (const peek of [pool.peekPending.bind(pool), pool.peekInflight.bind(pool)]) {
      for (let page = await peek({ limit: perCall }); page.transactions.length > 0; ) {
        await this.#compare(page.transactions, generation);
        page = await peek({ limit: perCall, after: page.next });
      }
    }
    for (let cursor = 'origin', more = true; more; ) {
      const page = await pool.dumpFinalized({ cursor, limit: perCall });
      await this.#compare(page.entries, generation);
      ({ cursor, hasMore: more } = page);
    }
  }

  async #compare(items: readonly (Known | StoredTransaction | LogEntry)[], generation: number): Promise<void> {
    for (const some of chunks(items)) {
      // The events until here show in the statuses.
      const { lastEventSeq: event } = await this.#coupling.pool.usage();
      for (const [index, status] of (await this.#statuses(some)).entries()) {
        const item = some[index];
        const transaction = item !== undefined && 'payload' in item ? item : undefined;
        if (status.stage !== 'Unknown') await this.#bring(status, { generation, event }, transaction);
        else if (item !== undefined && 'row' in item) await this.#settlement.keep(item, { generation, event });
      }
    }
  }

  async #bring(status: TransactionStatus, position: Position, transaction: Transaction | undefined): Promise<void> {
    const { hash, stage, confirmedAt, receivedAt } = status;
    const at = Date.now();
    await this.#settlement.bring({
      ...{ ...position, hash, at, slot: confirmedAt?.slot ?? null, receivedAt: receivedAt ?? at },
      duty: dutyOf(stage, this.#coupling.postOn),
      ...(transaction === undefined ? {} : { transaction }),
    });
  }

  async #statuses(items: readonly { readonly hash: string }[]): Promise<readonly TransactionStatus[]> {
    return items.length === 0 ? [] : this.#coupling.pool.status(items.map(({ hash }) => hash));
  }
}

function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += perCall) yield items.slice(start, start + perCall);
}
