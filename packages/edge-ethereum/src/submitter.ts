import {
  account,
  isRefusal,
  maxPriority,
  type PriorityMempool,
  type ReceiveOutcome,
  type Submission,
  type Verdict,
} from 'mempool-core';
import type { Hex } from 'viem';
import type { AccountIndex } from './account-index.ts';
import type { AccountState } from './account-state.ts';
import { assertAdmissible, mostSpent } from './admission.ts';
import { type Fields, parseRaw, type SignedTransaction, signedBy, typeNumbers } from './raw-transaction.ts';
import { RpcError, refused, rpcCodes } from './rpc-error.ts';

/** The parts that a submitter needs. */
export interface SubmitterParts {
  readonly pool: PriorityMempool;
  readonly index: AccountIndex;
  readonly state: AccountState;
  readonly chainId: number;
  /** True: the pool's floor is the base fee. */
  readonly followsFloor: boolean;
}

/** Submits signed transactions to the pool, and refuses others with the messages of geth. */
export class Submitter {
  readonly #parts: SubmitterParts;

  constructor(parts: SubmitterParts) {
    this.#parts = parts;
  }

  /** Submits a transaction and returns its hash. @throws `RpcError` */
  async submit(payload: Uint8Array): Promise<Hex> {
    const signed = await this.#read(payload);
    const outcome = await this.#parts.pool.submit(await this.#submission(signed));
    if (outcome.kind === 'received') return signed.hash;
    throw refusalOf(outcome, signed);
  }

  async #read(payload: Uint8Array): Promise<SignedTransaction> {
    const raw = parseRaw(payload);
    await this.#assertUnknown(raw.hash);
    assertAdmissible(raw, this.#parts.chainId);
    return signedBy(raw);
  }

  async #submission(signed: SignedTransaction): Promise<Submission> {
    const verdict = await this.#judge(signed);
    this.#parts.index.remember(signed);
    const { hash, payload, fields } = signed;
    return { hash, payload, payloadType: typeNumbers[fields.type], verdict };
  }

  /** Before the work that a known transaction is not worth. */
  async #assertUnknown(hash: Hex): Promise<void> {
    const { index, pool } = this.#parts;
    if (index.table.get(hash.slice(2)) === undefined) return;
    const { stage } = await pool.status(hash);
    if (stage === 'Unknown' || stage === 'Dropped') return;
    throw refused('already known');
  }

  async #judge({ from, fields }: SignedTransaction): Promise<Verdict> {
    const { state, followsFloor } = this.#parts;
    const [chainNonce, balance] = await Promise.all([state.nonceOf(from), state.balanceOf(from)]);
    const { nonce } = fields;
    const price = followsFloor ? tippedPriceOf(fields) : { priority: priorityOf(fields) };
    const verdict = account(from, nonce, chainNonce, { ...price, gas: Number(fields.gas ?? 0n) });
    if (isRefusal(verdict)) throw refused(`nonce too low: next nonce ${chainNonce}, tx nonce ${nonce}`);
    const cost = mostSpent(fields);
    if (balance !== null && balance < cost)
      throw refused(
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
      );
    return verdict;
  }
}

/**
 * What a block builder gets for one unit of gas: the tip, of an older type the gas price. It does not depend on the base fee:
 * an order that moved with it would make a fair replacement fail as soon as the base fee rises.
 */
function priorityOf({ gasPrice, maxPriorityFeePerGas, maxFeePerGas }: Fields): bigint {
  const price = gasPrice ?? lower(maxPriorityFeePerGas ?? 0n, maxFeePerGas ?? 0n);
  return lower(price, maxPriority);
}

/** What it pays for one unit of gas where the floor is the base fee: all of it, with what goes to the block builder on top. */
function tippedPriceOf(fields: Fields): Pick<Verdict, 'priority' | 'maxPriority' | 'tip'> {
  const { gasPrice, maxPriorityFeePerGas: tip = 0n, maxFeePerGas: cap = 0n } = fields;
  if (gasPrice !== undefined) return { priority: priorityOf(fields) };
  return { maxPriority: lower(cap, maxPriority), tip: lower(tip, maxPriority) };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The pool's refusal in geth's words. */
function refusalOf(outcome: Exclude<ReceiveOutcome, { kind: 'received' }>, { fields }: SignedTransaction): RpcError {
  switch (outcome.kind) {
    case 'duplicate':
      return refused('already known');
    case 'replacement-underpriced':
      return new RpcError(rpcCodes.refused, 'replacement transaction underpriced', {
        required: String(outcome.required),
        ...(outcome.requiredTip !== undefined && { requiredTip: String(outcome.requiredTip) }),
      });
    case 'conflict':
      return refused(
        outcome.with === null
          ? `nonce too low: tx nonce ${fields.nonce} is used`
          : 'replacement transaction underpriced: the other one was sent to the network already',
      );
    case 'full':
      return refused(outcome.floor?.kind === 'at-least' ? 'transaction underpriced' : 'txpool is full');
    case 'sender-limit':
      return refused(`account limit exceeded: at most ${outcome.limit} transactions of one account`);
    case 'limit':
      return refused(limitWords[outcome.limit]);
    case 'too-large':
      return refused(`oversized data: limit ${outcome.maxTxBytes} bytes`);
    case 'refused':
      return refused(outcome.log);
    case 'cycle':
      return refused('the transaction depends on itself');
  }
}

const limitWords = {
  maxTxGas: 'exceeds block gas limit',
  maxParked: 'txpool is full: too many transactions wait for an earlier nonce',
  maxProtected: 'txpool is full: too many protected transactions',
  maxAncestors: 'account limit exceeded: too many transactions before this one',
  maxDescendants: 'account limit exceeded: too many transactions after this one',
} as const;
