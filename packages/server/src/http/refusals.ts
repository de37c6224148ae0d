import type { ReceiveOutcome } from 'mempool-core';

/** A pool's answer to a transaction that it does not take. */
export type RefusedOutcome = Exclude<ReceiveOutcome, { readonly kind: 'received' | 'duplicate' }>;

/** What a refusal means to a client. 409: the transaction may be accepted once the pool has changed. 422: not as it is. */
export function refusalStatus(outcome: RefusedOutcome): 409 | 422 {
  switch (outcome.kind) {
    case 'too-large':
    case 'refused':
      return 422;
    case 'limit':
      // All others count relatives or parked ones, which come and go.
      return outcome.limit === 'maxTxGas' ? 422 : 409;
    // What it depends on may leave the pool.
    case 'cycle':
    case 'conflict':
    case 'replacement-underpriced':
    case 'sender-limit':
    case 'full':
      return 409;
  }
}
