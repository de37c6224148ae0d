/** What one node knows of the pool from its event stream alone. */
import { createHash } from 'node:crypto';
import type { MempoolEvent, MempoolStore, Stage } from 'mempool-core';

export interface ViewSummary {
  readonly events: number;
  readonly finalized: number;
  readonly dropped: number;
  readonly rolledBack: number;
  /** Over every event in order: nodes of the same digest saw the same. */
  readonly digest: string;
}

export class View {
  readonly #stages = new Map<string, Stage>();
  readonly #digest = createHash('sha256');
  #events = 0;
  #rolledBack = 0;

  take(event: MempoolEvent): void {
    this.#digest.update(JSON.stringify(event));
    this.#events += 1;
    if (event.kind !== 'transaction') return;
    this.#stages.set(event.hash, event.stage === 'RolledBack' ? 'Pending' : event.stage);
    if (event.stage === 'RolledBack') this.#rolledBack += 1;
  }

  /** Whether the pool says of every transaction what its events said. */
  async isTrueOf(pool: Pick<MempoolStore, 'checkStatus'>): Promise<boolean> {
    const hashes = [...this.#stages.keys()];
    const pageSize = 1_000;
    for (let start = 0; start < hashes.length; start += pageSize) {
      const page = await pool.checkStatus(hashes.slice(start, start + pageSize));
      if (page.some(({ hash, stage }) => stage !== this.#stages.get(hash))) return false;
    }
    return true;
  }

  summary(): ViewSummary {
    const stages = [...this.#stages.values()];
    return {
      events: this.#events,
      finalized: stages.filter((stage) => stage === 'Finalized').length,
      dropped: stages.filter((stage) => stage === 'Dropped').length,
      rolledBack: this.#rolledBack,
      digest: this.#digest.copy().digest('hex'),
    };
  }
}
