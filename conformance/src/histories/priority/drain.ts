import type { PriorityCall } from './call.ts';

/** A point that no history has. */
const last = { slot: 2 ** 40, hash: 'ff'.repeat(32) };

/** Calls after which nothing is live, and the log has nothing in it that asks for a tag. */
export function drainCalls(hashes: readonly string[], maxFinalized: number): PriorityCall[] {
  const fillers = Array.from({ length: maxFinalized }, (_, i) => ({
    hash: i.toString(16).padStart(128, '0'),
    payload: new Uint8Array(0),
    payloadType: 0,
  }));
  const unseen = [...hashes];
  return [
    { verb: 'setLimits', args: [{ maxTxs: 1_000, maxBytes: 1_000_000, eviction: 'lowest' }] },
    { verb: 'rollback', args: [null] },
    { verb: 'confirm', args: [{ point: last, seen: [], unseen }, { finalizeThreshold: Number.POSITIVE_INFINITY }] },
    { verb: 'rollback', args: [null] },
    { verb: 'release', args: [hashes] },
    { verb: 'flush', args: [{}] },
    { verb: 'receive', args: [fillers] },
    { verb: 'flush', args: [{ operationId: 'drained' }] },
  ];
}
