import { type Mempool, maxPriority, type ReceiveOutcome, type SubmitOptions, utxo, type Verdict } from 'mempool-core';
import type { CardanoTransaction, OutputReference } from './transaction/cardano-transaction.ts';
import { readTransaction } from './transaction/read-transaction.ts';
import { TransactionError } from './transaction/transaction-error.ts';
import { transactionHash } from './transaction/transaction-hash.ts';

/** A transaction whose bytes were checked. */
export interface CheckedCardano {
  readonly hash: string;
  /** Submits the transaction. @throws the errors of the pool's `submit` */
  submit(options?: SubmitOptions): Promise<ReceiveOutcome>;
}

/**
 * Checks the bytes of a Cardano transaction, to be submitted under its hash on the chain. A priority pool receives a verdict
 * computed from the bytes, so that it orders by fee and keeps one spend of each output. Nothing is submitted yet, so that
 * several transactions can be checked before the first is submitted.
 * @param unfit returns the error for a reason: the bytes are no transaction, or it has more outputs than a pool has tags
 * @throws the error of `unfit`
 */
export function checkedCardano(pool: Mempool, payload: Uint8Array, unfit: (reason: string) => Error): CheckedCardano {
  if (pool.ordering === 'fifo') {
    const hash = read(transactionHash, payload, unfit);
    return { hash, submit: (options) => pool.submit({ hash, payload }, options) };
  }
  const transaction = read(readTransaction, payload, unfit);
  const { hash } = transaction;
  const effect = effectOf(transaction);
  if (effect.spends.length + effect.makes.length > maxTags) throw unfit(tooMany);
  return {
    hash,
    submit: async (options) => {
      const verdict = await cardanoVerdict(pool, effect, payload.length);
      return pool.submit({ hash, payload, verdict }, options);
    },
  };
}

/**
 * The verdict that follows from the bytes alone: lovelace per 1,000 bytes as priority, and the outputs that it spends
 * and makes as tags. An output of a transaction that is live in the pool is required, so the child comes after it. Any
 * other output counts as one on the chain: only a node knows.
 */
async function cardanoVerdict(pool: Mempool, { spends, makes, fee }: Effect, bytes: number): Promise<Verdict> {
  const makers = [...new Set(spends.map(({ hash }) => hash))];
  const statuses = await Promise.all(makers.map((maker) => pool.status(maker)));
  const live = new Set(makers.filter((_, i) => liveStages.has(statuses[i]?.stage ?? '')));
  const named = Map.groupBy(spends, ({ hash }) => (live.has(hash) ? 'unconfirmed' : 'confirmed'));
  const inputs = {
    confirmed: (named.get('confirmed') ?? []).map(outpointOf),
    unconfirmed: (named.get('unconfirmed') ?? []).map(outpointOf),
  };
  const rate = (fee * 1_000n) / BigInt(bytes);
  return utxo(inputs, makes.map(outpointOf), { priority: rate > maxPriority ? maxPriority : rate });
}

/** The pool's limit of tags. */
const maxTags = 1_024;
const tooMany = `The transaction spends and makes more than ${maxTags.toLocaleString('en')} outputs.`;

const liveStages: ReadonlySet<string> = new Set(['Pending', 'Propagated', 'Acknowledged', 'Confirmed']);

interface Effect {
  readonly spends: readonly OutputReference[];
  readonly makes: readonly OutputReference[];
  readonly fee: bigint;
}

/** A transaction whose script failed spends its collateral, and makes only the collateral return, numbered after its outputs. */
function effectOf({ hash, valid, inputs, outputs, fee, ...failed }: CardanoTransaction): Effect {
  if (valid) return { spends: inputs, makes: outputs.map((_, index) => ({ hash, index })), fee: fee ?? 0n };
  const { collateral, collateralReturn, totalCollateral } = failed;
  const makes = collateralReturn === null ? [] : [{ hash, index: outputs.length }];
  return { spends: collateral, makes, fee: totalCollateral ?? 0n };
}

function outpointOf({ hash, index }: OutputReference): string {
  return `${hash}#${index}`;
}

function read<T>(reader: (bytes: Uint8Array) => T, payload: Uint8Array, unfit: (reason: string) => Error): T {
  try {
    return reader(payload);
  } catch (error) {
    if (error instanceof TransactionError) throw unfit(error.message);
    throw error;
  }
}
