import type { Transaction } from 'mempool-core';
import { LedgerError } from '../contract/errors.ts';
import { checkCall } from '../ledger/arguments.ts';
import { isSystemId } from '../ledger/check.ts';
import { paymentId } from './marks.ts';
import type { Coupling, PoolTransfer } from './pool-options.ts';

/** The payment of a transaction. `free`: it moves no money. `unknown`: its bytes are gone. */
export type Terms =
  | { readonly kind: 'pays'; readonly transfer: PoolTransfer }
  | { readonly kind: 'free' | 'unauthorised' | 'unknown' }
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** Asks the application for the payment of a transaction, and for its word that the payer agrees. It never throws. */
export async function termsOf(coupling: Coupling, transaction: Transaction): Promise<Terms> {
  try {
    const given = await coupling.transferOf(transaction);
    if (given === null) return { kind: 'free' };
    const transfer = checkedTerms(coupling, transaction.hash, given);
    const isPayer = !isSystemId(transfer.source) && (await coupling.authorise(transaction, transfer)) === true;
    return isPayer ? { kind: 'pays', transfer } : { kind: 'unauthorised' };
  } catch (error) {
    return { kind: 'unreadable', error };
  }
}

/** Returns the payment as the ledger takes it. @throws if the ledger would not */
function checkedTerms({ ledger, name }: Coupling, hash: string, given: PoolTransfer): PoolTransfer {
  const { source, destination, amount, currency, description, signature } = given;
  const terms = { source, destination, amount, currency, description, signature };
  const context = { ledger: ledger.name, retentionMs: null, coupling: name };
  const checked = checkCall({ ...terms, kind: 'reserve', id: `~${paymentId(name, hash)}:` }, context);
  if (typeof checked !== 'string') return terms;
  throw new LedgerError('ERR_LEDGER_ARGUMENT', `transferOf returned a payment that is not valid: ${checked}`);
}

/** Returns the payment of a transaction by its bytes in the pool, or in the pool's log. */
export async function termsOfHash(coupling: Coupling, hash: string): Promise<Terms> {
  const [live] = await coupling.pool.payloads([hash]);
  const transaction = live ?? (await loggedTransaction(coupling, hash));
  return transaction === null ? { kind: 'unknown' } : termsOf(coupling, transaction);
}

/** Looks through the whole log: only for a transaction that went past `submit` and ended before the follower came to it. */
async function loggedTransaction({ pool }: Coupling, hash: string): Promise<Transaction | null> {
  for (let cursor = 'origin'; ; ) {
    const page = await pool.dumpFinalized({ cursor, limit: 1_000 });
    const found = page.entries.findLast((entry) => entry.hash === hash);
    if (found !== undefined) return { hash, payload: found.payload, payloadType: found.payloadType };
    if (!page.hasMore) return null;
    cursor = page.cursor;
  }
}
