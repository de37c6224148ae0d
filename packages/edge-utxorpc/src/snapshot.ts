import type { Mempool } from 'mempool-core';
import { busy, Problem, parked, Slots } from 'mempool-server/edge';
import { refOf } from './refs.ts';
import { submit } from './spec.ts';
import { rpcStages } from './stages.ts';

/** An answer is one message, so all of it is in memory. */
const maxBytes = 32 * 1024 * 1024;
/** What a transaction takes in an answer beside its bytes. */
const entryBytes = 48;

/** Each takes the memory of a whole answer. */
const maxSnapshots = 4;

/** Reads the pool for clients, and limits the memory of what is read and of what they have not taken yet. */
export class Snapshots {
  readonly #pool: Mempool;
  readonly #reading = new Slots(maxSnapshots, 'snapshots of the pool may be read');
  #heldBytes = 0;

  constructor(pool: Mempool) {
    this.#pool = pool;
  }

  /**
   * Returns all transactions that are Pending or in flight, each once.
   * @param closed until then the answer is in memory
   * @throws `Problem` 413 if the answer would be too large, 503 if all answers together are; the pool's error
   */
  async read(closed: Promise<void>): Promise<submit.TxInMempool[]> {
    const release = this.#reading.take();
    try {
      const { items, bytes } = await snapshot(this.#pool);
      if (this.#heldBytes + bytes > maxSnapshots * maxBytes) throw busy('Answers take too much memory now.');
      this.#heldBytes += bytes;
      void closed.then(() => {
        this.#heldBytes -= bytes;
      });
      return items;
    } finally {
      release();
    }
  }
}

interface Snapshot {
  readonly items: submit.TxInMempool[];
  /** The size of the answer. */
  readonly bytes: number;
}

/**
 * Returns all transactions that are Pending or in flight, each once, even if it changes its stage meanwhile.
 * @throws `Problem` 413 if the answer would be too large; the pool's error
 */
async function snapshot(pool: Mempool): Promise<Snapshot> {
  const found = new Map<string, submit.TxInMempool>();
  let bytes = 0;
  // Twice what is parked and in flight: one that becomes ready meanwhile, is parked, or is released, is found.
  for (const list of [pool.inflight(), parked(pool), pool.pending(), parked(pool), pool.inflight()]) {
    for await (const { hash, payload, stage } of list) {
      // Confirmed ones are in flight until they are Finalized, but they are in a block.
      if (stage === 'Confirmed') continue;
      bytes += found.has(hash) ? 0 : entryBytes + payload.length;
      if (bytes > maxBytes) throw tooLarge();
      const nativeBytes = new Uint8Array(payload);
      found.set(hash, new submit.TxInMempool({ ref: refOf(hash), nativeBytes, stage: rpcStages[stage] }));
    }
  }
  return { items: [...found.values()], bytes };
}

function tooLarge(): Problem {
  const detail = 'The pool is too large for one answer. Follow it with WatchMempool.';
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail });
}
