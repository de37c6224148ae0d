import { Problem } from '../../http/problem.ts';
import type { submit } from './spec.ts';

/**
 * Checks that a predicate matches every transaction, as the SDK's empty Cardano pattern does. Other predicates need the
 * outputs that a transaction spends, which only a node has.
 * @throws `Problem` 501
 */
export function expectMatchAll(predicate: submit.TxPredicate | undefined): void {
  if (predicate === undefined) return;
  const { match, not, allOf, anyOf } = predicate;
  const isEmpty = not.length + allOf.length + anyOf.length === 0 && isEmptyPattern(match?.chain.value);
  if (isEmpty) return;
  const detail = 'The server cannot evaluate predicates. Send none, and select the transactions yourself.';
  throw new Problem(501, 'ERR_MEMPOOL_UNSUPPORTED', { detail });
}

function isEmptyPattern(pattern: { toBinary(): Uint8Array } | undefined): boolean {
  return pattern === undefined || pattern.toBinary().length === 0;
}
