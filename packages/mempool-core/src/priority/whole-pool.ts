import { defaultLimits, type Ordering } from '../contract/limits.ts';
import { defaultRetention } from '../contract/options.ts';
import type { EndedPart, LivePart, NumbersPart, PoolPart } from '../contract/transfer.ts';
import { MemoryPool } from '../memory/memory-pool.ts';
import { PriorityPool } from './priority-pool.ts';

/** A pool in memory, of either ordering, without a backend around it. */
export type WholePool = MemoryPool | PriorityPool;

/** A new pool in memory. Its log and events are never trimmed. */
export function wholePool(ordering: Ordering): WholePool {
  const endless = { ...defaultRetention, maxFinalized: Number.POSITIVE_INFINITY };
  if (ordering === 'priority') return new PriorityPool({ epoch: '', retention: endless, limits: defaultLimits });
  return new MemoryPool('', endless);
}

/** The states of a pool. */
export function memoryOf(pool: WholePool): MemoryPool {
  return pool instanceof PriorityPool ? pool.memory : pool;
}

/** Fills an empty pool in memory with the parts of an export, in their order (D3). The pool then owns their bytes. */
export class PoolFiller {
  readonly #pool: WholePool;
  readonly #memory: MemoryPool;

  constructor(pool: WholePool) {
    this.#pool = pool;
    this.#memory = memoryOf(pool);
  }

  add(part: PoolPart): void {
    switch (part.kind) {
      case 'start':
        break;
      case 'live':
        this.#addLive(part);
        break;
      case 'ended':
        this.#addEnded(part);
        break;
      case 'block':
        this.#memory.restore({ kind: 'block', block: { tick: part.tick, point: part.point, sighted: part.sighted } });
        break;
      case 'numbers':
        this.#addNumbers(part);
        break;
      case 'satisfied':
        this.#ranked?.restore(part);
        break;
      case 'record':
        this.#memory.restore(part);
        break;
      case 'finish':
        this.#memory.restore({ kind: 'version', lastVersion: part.lastVersion });
        // Computes the order keys.
        this.#ranked?.restored();
        break;
    }
  }

  get #ranked(): PriorityPool | null {
    return this.#pool instanceof PriorityPool ? this.#pool : null;
  }

  #addLive({ state, point, body, entry }: LivePart): void {
    this.#memory.restore({ kind: 'write', write: { after: state, point, body } });
    if (entry !== null) this.#ranked?.restore({ kind: 'entry', entry });
  }

  #addEnded({ logSeq, state, point, body, entry, at }: EndedPart): void {
    if (this.#memory.lastLogSeq === 0) this.#memory.startLog(logSeq);
    this.#memory.restore({ kind: 'write', write: { after: state, point, body }, at });
    if (entry !== null) this.#ranked?.restore({ kind: 'entry', entry });
  }

  #addNumbers(numbers: NumbersPart): void {
    this.#memory.setNumbers(numbers);
    if (this.#ranked === null) {
      this.#memory.fifo.maxTxs = numbers.limits.maxTxs ?? Number.POSITIVE_INFINITY;
      return;
    }
    this.#ranked.index.satisfied.floor = numbers.floor;
    this.#ranked.restore({ kind: 'limits', limits: numbers.limits });
    this.#ranked.restore({ kind: 'gossip', lastGossipSeq: numbers.lastGossipSeq });
  }
}
