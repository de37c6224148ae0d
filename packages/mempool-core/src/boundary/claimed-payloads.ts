import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { Claim, ClaimedTransaction, TakenCandidate } from '../contract/pool-verbs.ts';
import { type DamagedTransaction, isDamaged, type Transaction } from '../contract/transaction.ts';
import { maxCallTransactions } from './arguments.ts';

type Read = (hashes: readonly string[]) => Awaitable<(Transaction | DamagedTransaction | null)[]>;
type One = ClaimedTransaction | DamagedTransaction;

/**
 * Returns the claim with payloads. It leaves out transactions that have left the pool since they were taken. It returns
 * a damaged record as `{ kind: 'damaged', hash }` (M2).
 *
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the store cannot be reached, because the transactions are taken already
 */
export async function withPayloads(claim: Claim, read: Read): Promise<Claim<One>> {
  const transactions: One[] = [];
  try {
    for (let from = 0; from < claim.transactions.length; from += maxCallTransactions)
      transactions.push(...(await readPart(claim.transactions.slice(from, from + maxCallTransactions), read)));
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'taken, but the payloads were not read', { cause: error });
  }
  return { ...claim, transactions };
}

async function readPart(part: readonly TakenCandidate[], read: Read): Promise<One[]> {
  const bodies = await read(part.map(({ hash }) => hash));
  return part.flatMap((one, i): One[] => {
    const body = bodies[i] ?? null;
    if (body === null) return [];
    return [isDamaged(body) ? body : { ...one, payload: body.payload, payloadType: body.payloadType }];
  });
}
