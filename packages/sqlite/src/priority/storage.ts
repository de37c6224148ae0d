import { type ChainPoint, isLive, type Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { PoolView } from '../pool/pool-view.ts';
import { readBody } from '../pool/records.ts';
import { PriorityCalls } from './calls.ts';

/** A live transaction, read from the file. */
interface Found extends core.ReadRecord, core.Body {
  readonly txState: core.TxState;
  readonly point: ChainPoint | null;
  readonly isIntact: boolean;
}

/** The storage of a priority pool in a file, for core's verbs. */
export class PriorityStorage extends PriorityCalls implements core.PriorityStorage {
  stored(
    context: core.ReadContext,
    after: number,
    choose: (pool: core.PriorityPool) => readonly string[],
  ): Promise<core.DriverPage> {
    return this.read(context, (pool) => {
      const found = Iterator.from(choose(pool)).map((hash) => this.#find(pool, hash));
      const page = core.cutPage(
        found.filter((each) => each !== null),
        ({ isIntact }) => isIntact,
        (each) => this.file.reportDamage(each),
      );
      const { currentTip, epoch } = pool.view;
      return core.seqPage(page, { after, epoch }, (each) =>
        core.storedTransaction(each.txState, each, each.point, currentTip.tick),
      );
    });
  }

  bodies(context: core.ReadContext, hashes: readonly string[]): Promise<(Transaction | null)[]> {
    return this.read(context, (pool) =>
      hashes.map((hash) => {
        const found = this.#find(pool, hash);
        if (found === null) return null;
        if (!found.isIntact) return this.file.reportDamage(found);
        const { payload, payloadType } = found;
        return { hash, payload, payloadType };
      }),
    );
  }

  /** Reads records from the file, for the verbs that every pool has. */
  view<T>(context: core.ReadContext, read: (view: PoolView, index: core.PriorityPool['index']) => T): Promise<T> {
    return this.read(context, ({ index }) => read(new PoolView(this.file, this.hashes), index));
  }

  /** Never throws, so that a page can end before a damaged record. */
  #find({ view, index }: core.PriorityPool, hash: string): Found | null {
    const txState = view.txState(hash);
    const notBefore = index.node(hash)?.entry.notBefore;
    if (txState === null || !isLive(txState.stage)) return null;
    return {
      hash,
      seq: txState.seq,
      ...readBody(hash, this.file.row('body', txState.seq)),
      txState: notBefore === undefined ? txState : { ...txState, notBefore },
      point: view.confirmedAt(hash),
    };
  }
}
