import type { Mempool } from 'mempool-core';
import { Problem } from '../../http/problem.ts';
import { parked } from '../parked.ts';
import { refOf } from './refs.ts';
import { submit } from './spec.ts';
import { rpcStages } from './stages.ts';

/** An answer is one message, so all of it is in memory. */
const maxBytes = 32 * 1024 * 1024;
/** What a transaction takes in an answer beside its bytes. */
const entryBytes = 48;

/**
 * Returns all transactions that are Pending or in flight, each once, even if it changes its stage meanwhile.
 * @throws `Problem` 413 if the answer would be too large; the pool's error
 */
export async function snapshot(pool: Mempool): Promise<submit.TxInMempool[]> {
  const found = new Map<string, submit.TxInMempool>();
  let bytes = 0;
  // Twice the parked ones: one that becomes ready meanwhile, or is parked, is found.
  for (const list of [parked(pool), pool.pending(), parked(pool), pool.inflight()]) {
    for await (const { hash, payload, stage } of list) {
      // Confirmed ones are in flight until they are Finalized, but they are in a block.
      if (stage === 'Confirmed') continue;
      bytes += found.has(hash) ? 0 : entryBytes + payload.length;
      if (bytes > maxBytes) throw tooLarge();
      const nativeBytes = new Uint8Array(payload);
      found.set(hash, new submit.TxInMempool({ ref: refOf(hash), nativeBytes, stage: rpcStages[stage] }));
    }
  }
  return [...found.values()];
}

function tooLarge(): Problem {
  const detail = 'The pool is too large for one answer. Follow it with WatchMempool.';
  return new Problem(413, 'ERR_SERVER_BODY_TOO_LARGE', { detail });
}
