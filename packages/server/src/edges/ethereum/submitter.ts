import {
  account,
  type BundleRefusal,
  isRefusal,
  maxPriority,
  type PriorityMempool,
  type Refused,
  type Submission,
  type SubmitOutcome,
  type Verdict,
} from 'mempool-core';
import { concat, type Hex, keccak256, toHex } from 'viem';
import type { AccountIndex } from './account-index.ts';
import type { AccountState } from './account-state.ts';
import { assertAdmissible, mostSpent } from './admission.ts';
import type { GivenBundle } from './bundle-params.ts';
import { type Fields, parseRaw, type SignedTransaction, signedBy, typeNumbers } from './raw-transaction.ts';
import { placed, RpcError, refused, rpcCodes } from './rpc-error.ts';

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

  /**
   * Submits transactions that the pool receives together or not at all, and returns the bundle's hash.
   * @param owe counts the transactions after the first against the rate limit
   * @throws `RpcError`
   */
  async submitBundle({ payloads, blockNumber, expiresAt }: GivenBundle, owe: (count: number) => void): Promise<Hex> {
    const { pool, followsFloor } = this.#parts;
    owe(payloads.length - 1);
    const expiresAtHeight = blockNumber === null ? null : await this.#heightBefore(blockNumber);
    const floor = followsFloor ? (await pool.setLimits({})).minPriority : 0n;
    const signed: SignedTransaction[] = [];
    const submissions: Submission[] = [];
    for (const [i, payload] of payloads.entries()) {
      try {
        const one = await this.#read(payload);
        const { verdict, ...rest } = await this.#submission(one);
        signed.push(one);
        submissions.push({ ...rest, verdict: { ...withoutTip(verdict, floor), expiresAt, expiresAtHeight } });
      } catch (error) {
        throw placed(`txs[${i}]`, error);
      }
    }
    const outcome = await pool.receiveBundle(submissions);
    if (outcome.kind === 'refused') throw bundleRefusalOf(outcome.refusal, signed);
    return keccak256(concat(signed.map(({ hash }) => hash)));
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

  /** The height until which a bundle for a block is good. @throws `RpcError` −32000 unless that is the next block */
  async #heightBefore(blockNumber: number): Promise<number> {
    const { point, tick } = await this.#parts.pool.tip();
    if (point === null) throw refused('blockNumber is not supported: the pool has applied no block yet');
    if (blockNumber === point.slot + 1) return tick;
    throw refused(`the pool holds nothing back: blockNumber must be ${toHex(point.slot + 1)}, the next block`);
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

/** One in a bundle has no tip: what it pays at the present floor stays its price (P31). */
function withoutTip({ maxPriority: most, tip, ...verdict }: Verdict = {}, floor: bigint): Verdict {
  return most === undefined || tip === undefined ? verdict : { ...verdict, priority: lower(most, floor + tip) };
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The pool's refusal in geth's words. */
function refusalOf(outcome: Exclude<SubmitOutcome, { kind: 'received' }>, { fields }: SignedTransaction): RpcError {
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
    case 'closed':
      return refused('txpool is closed');
    case 'cycle':
      return refused('the transaction depends on itself');
  }
}

/** The pool's refusal of a bundle: that of one transaction, in geth's words. */
function bundleRefusalOf(refusal: BundleRefusal | Refused, signed: readonly SignedTransaction[]): RpcError {
  const i = signed.findIndex(({ hash }) => hash === `0x${refusal.hash}`);
  const one = signed[i] as SignedTransaction;
  if (refusal.kind === 'not-ready')
    return refused('the bundle is not ready: an earlier nonce is missing, or it pays less than the floor');
  if (refusal.kind === 'conflict' && refusal.with !== null)
    return refused(
      `txs[${i}]: nonce ${one.fields.nonce} is used by 0x${refusal.with}, which a bundle does not replace`,
    );
  return placed(`txs[${i}]`, refusalOf(refusal, one)) as RpcError;
}

const limitWords = {
  maxTxGas: 'exceeds block gas limit',
  maxParked: 'txpool is full: too many transactions wait for an earlier nonce',
  maxProtected: 'txpool is full: too many protected transactions',
  maxAncestors: 'account limit exceeded: too many transactions before this one',
  maxDescendants: 'account limit exceeded: too many transactions after this one',
} as const;
