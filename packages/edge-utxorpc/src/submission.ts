import { checkedCardano } from 'mempool-cardano';
import type { Mempool, ReceiveOutcome } from 'mempool-core';
import { Problem, refusalStatus, wrongRequest } from 'mempool-server/edge';

/**
 * Submits transactions in the order given, and returns their hashes. If the pool refuses one, those before it are in the
 * pool; the same request can be sent again.
 * @throws `Problem` 400 if the bytes of one are not a transaction, and then none is submitted; 409, 422 or 507 for a refusal
 */
export async function submitAll(pool: Mempool, payloads: readonly Uint8Array[]): Promise<string[]> {
  const checked = payloads.map((payload, i) =>
    checkedCardano(pool, payload, (reason) => wrongRequest('tx', `Transaction ${i}: ${reason}`)),
  );
  // In a fifo pool no transaction depends on another, so all go into one write.
  if (pool.ordering === 'fifo') {
    const outcomes = await Promise.all(checked.map((each) => each.submit()));
    outcomes.forEach(expectTaken);
  } else for (const [i, each] of checked.entries()) expectTaken(await each.submit(), i);
  return checked.map(({ hash }) => hash);
}

function expectTaken(outcome: ReceiveOutcome, i: number): void {
  if (outcome.kind === 'received' || outcome.kind === 'duplicate') return;
  const reason = outcome.kind === 'refused' ? `refused: ${outcome.log}` : outcome.kind;
  const detail = `The pool refuses transaction ${i}, ${outcome.hash}: ${reason}.`;
  const status = outcome.kind === 'full' ? 507 : refusalStatus(outcome);
  throw new Problem(status, 'ERR_SERVER_REFUSED', { detail, members: { outcome } });
}
