import type { Awaitable } from '../contract/call-options.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { Candidate, Claim, ClaimedTransaction } from '../contract/pool-verbs.ts';
import type { DamagedTransaction, Transaction } from '../contract/transaction.ts';
import { maxCallTransactions } from './arguments.ts';

type Read = (hashes: readonly string[]) => Awaitable<(Transaction | null)[]>;
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

async function readPart(part: readonly Candidate[], read: Read): Promise<One[]> {
  const damaged = new Set<string>();
  for (;;) {
    const intact = part.filter(({ hash }) => !damaged.has(hash));
    try {
      const bodies = (await read(intact.map(({ hash }) => hash))).values();
      return part.flatMap((one): One[] => {
        if (damaged.has(one.hash)) return [{ kind: 'damaged', hash: one.hash }];
        const body = bodies.next().value;
        return body ? [{ ...one, payload: body.payload, payloadType: body.payloadType }] : [];
      });
    } catch (error) {
      const hash = isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') ? error.details.hash : undefined;
      if (hash === undefined || damaged.has(hash)) throw error;
      damaged.add(hash);
    }
  }
}
