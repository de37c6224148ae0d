import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { Claim, ClaimedTransaction, TakenCandidate } from '../contract/pool-verbs.ts';
import { type DamagedTransaction, isDamaged, type Transaction } from '../contract/transaction.ts';
import { maxCallTransactions } from './arguments.ts';

type Read = (hashes: readonly string[]) => Awaitable<(Transaction | DamagedTransaction | null)[]>;
type One = ClaimedTransaction | DamagedTransaction;

/**
 * The claim with payloads. It leaves out what has left the pool since it was taken. A damaged record is told in its place
 * (M2).
 *
 * @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the store cannot be reached: the transactions are taken already
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
