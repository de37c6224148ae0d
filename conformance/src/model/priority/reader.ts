import type { MempoolStore, StoredTransaction, Thresholds, Transaction, Usage } from 'mempool-core';
import { Model } from '../model.ts';
import type * as e from './entry.ts';
import { orderOf } from './graph.ts';
import { loadOf } from './load.ts';
import * as reads from './reads.ts';
import { graphOf, isLiving, type PriorityState } from './state.ts';

type Query<V extends 'best' | 'since' | 'stale'> = NonNullable<Parameters<MempoolStore[V]>[V extends 'since' ? 1 : 0]>;

/** The reading verbs of the model. Those of every pool are the FIFO model's, on the same lives. */
export class ModelReader extends Model {
  readonly #state: PriorityState;

  constructor(
    options: Thresholds & { readonly maxFinalized: number; readonly maxRollback: number },
    state: PriorityState,
  ) {
    super(options, state.pool);
    this.#state = state;
  }

  override hasPending(): boolean {
    return this.peekPending().length > 0;
  }

  override peekPending(): StoredTransaction[] {
    const parked = new Set(this.peekParked().map(({ hash }) => hash));
    return super.peekPending().filter(({ hash }) => !parked.has(hash));
  }

  peekParked(): StoredTransaction[] {
    const parked = orderOf(graphOf(this.#state)).filter(({ place }) => !place.ready);
    return super.peekPending().filter(({ hash }) => parked.some((each) => each.hash === hash));
  }

  override usage(): Usage {
    return { ...super.usage(), load: loadOf(graphOf(this.#state), this.#state.limits) };
  }

  reap(budget: e.Budget = {}): e.Candidate[] {
    return reads.reap(graphOf(this.#state), budget).map(reads.candidate);
  }

  /** Its keys are ranks: what is said of keys is that they rise, and that a page begins behind one. */
  best({ after, limit = 100 }: Query<'best'> = {}): (e.Candidate & { readonly key: string })[] {
    const ready = reads.readyOf(graphOf(this.#state));
    const ranked = ready.map((member, i) => ({ ...reads.candidate(member), key: String(i).padStart(4, '0') }));
    return ranked.filter(({ key }) => after === undefined || key > after).slice(0, limit);
  }

  since(gossipSeq: number, query: Query<'since'> = {}): e.GossipPage {
    const page = reads.since(this.#state, gossipSeq, query);
    if (query.hashesOnly === true) return page;
    const items = page.items.map((item) => {
      const { payload = null, payloadType = null } = this.#state.pool.bodies.get(item.hash) ?? {};
      return { ...item, payload, payloadType };
    });
    return { ...page, items };
  }

  stale({ height, limit = 100 }: Query<'stale'>): e.StaleTransaction[] {
    return reads.stale(this.#state, height, limit);
  }

  payloads(hashes: readonly string[]): (Transaction | null)[] {
    const { live, bodies } = this.#state.pool;
    return hashes.map((hash) => {
      const body = bodies.get(hash);
      return body !== undefined && isLiving(live.get(hash)) ? { hash, ...body } : null;
    });
  }

  dump(): e.PoolDump {
    return reads.dump(this.#state);
  }
}
