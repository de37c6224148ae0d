import { setTimeout as delay } from 'node:timers/promises';
import { account, accountTag, type ChainPoint, isRefusal, type Lease, type PriorityMempool } from 'mempool-core';
import { keepSending } from 'mempool-edge-ethereum/chain';
import type { FollowingNode } from 'mempool-node';
import { type Hex, keccak256 } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Certificate } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { type Deployed, EpochContract } from './contract.ts';
import { type Fees, raised, startingFees } from './fees.ts';
import { type NoncePlan, RelayRecords, type StoredPlan } from './relay-records.ts';

/** The reads that a relayer needs of its validator's epochs. A `Sequencer` has them. */
export interface RelayedEpochs {
  activeEpochs(): Promise<number[]>;
  epoch(epoch: number): Promise<Pick<EpochRecord, 'phase'> | null>;
  certificate(epoch: number): Promise<Certificate | null>;
}

/** Options of an `EpochRelayer`. */
export interface EpochRelayerOptions {
  /** The contract of the epochs, and how to reach it. */
  readonly contract: Deployed;
  /** The private key of the validator. The account needs money. */
  readonly privateKey: Hex;
  /** The answer of `openRelayPool`: a pool for this account's transactions alone. Any number of processes may share it. */
  readonly relay: Pick<FollowingNode<PriorityMempool>, 'pool' | 'election'>;
  /** The certified results. */
  readonly epochs: RelayedEpochs;
  /** How many blocks make a block final; default 6. It must be that of the pool. */
  readonly finalityBlocks?: number | undefined;
  /** After so many blocks without it, a transaction is replaced by one that pays more; default 5. */
  readonly bumpAfterBlocks?: number | undefined;
  /** The tip of a new transaction for a unit of gas, in wei; default 10⁹. */
  readonly tip?: bigint | undefined;
  /** The pause between two rounds, in milliseconds; default 200. */
  readonly pollMs?: number | undefined;
  /** Called with each failure; the relayer tries again. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** The state of the chain for one round: all of it after the same block. */
interface ChainState {
  readonly block: ChainPoint;
  /** The nonce that the chain expects next. */
  readonly nonce: number;
  /** No reorganisation undoes the nonces below. */
  readonly finalNonce: number;
  readonly fees: Fees;
}

/** A transaction that is to be replaced is not sent again for so long. If this process dies meanwhile, it is then. */
const replacingMs = 5_000;

/** The contract refuses it now, and may accept it later: it is another validator's turn, or the chain has the root already. */
const passing: ReadonlySet<string> = new Set(['NotYourTurn', 'AlreadyAgreed', 'UnknownEpoch']);

/**
 * Puts the epochs' certificates of one validator on the chain. The leader decides the use of each nonce of the account, and writes it
 * down first; the pool keeps the transactions in the order of nonces, and every process sends them. An undone transaction is sent
 * again as it was. A submission that reverts costs its nonce and nothing more.
 */
export class EpochRelayer {
  readonly #options: EpochRelayerOptions;
  readonly #contract: EpochContract;
  readonly #account: PrivateKeyAccount;
  /** In lower case. */
  readonly #sender: string;
  readonly #records: RelayRecords;

  constructor(options: EpochRelayerOptions) {
    this.#options = options;
    this.#contract = new EpochContract(options.contract);
    this.#account = privateKeyToAccount(options.privateKey);
    this.#sender = this.#account.address.toLowerCase();
    this.#records = new RelayRecords(options.relay.pool);
  }

  /** Plans while it leads, and sends, until the signal aborts. @throws an error of the pool or the election that is not retryable */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { relay, contract, pollMs = 200, report } = this.#options;
    const sending = keepSending(relay.pool, { url: contract.url, signal, lookMs: pollMs, report });
    const leading = relay.election.runAsLeader((lost, _, { lease }) => this.#lead(lease, lost), { signal });
    const ended = leading.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await Promise.all([ended, sending]);
  }

  async #lead(lease: Lease, signal: AbortSignal): Promise<void> {
    const { pollMs = 200, report } = this.#options;
    while (!signal.aborted) {
      await this.round(lease).catch((error: unknown) => (signal.aborted ? undefined : report?.(error)));
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads chain and epochs once, and does the work that is due. After a crash at any point, the next round completes it. */
  async round(lease: Lease): Promise<void> {
    const chain = await this.#look();
    // The chain went back meanwhile: the next round looks again.
    if (chain === null) return;
    await this.#forget(await this.#records.plans(), chain, lease);
    await this.#fillGaps(await this.#records.plans(), chain, lease);
    await this.#planEpochs(chain, lease);
    for (const plan of await this.#records.plans())
      if (plan.nonce >= chain.nonce) await this.#carryOut(plan, chain, lease);
  }

  /** `null` if the block that it looks at is not on the chain any more. */
  async #look(): Promise<ChainState | null> {
    const { finalityBlocks = 6, tip = 1_000_000_000n } = this.#options;
    const { number, hash, baseFeePerGas } = await this.#contract.client.getBlock();
    const block = { slot: Number(number), hash: hash.slice(2) };
    const final = number - BigInt(finalityBlocks) + 1n;
    try {
      const [nonce, finalNonce] = await Promise.all([this.#nonceAt(number), final < 0n ? 0 : this.#nonceAt(final)]);
      return { block, nonce, finalNonce, fees: startingFees(baseFeePerGas ?? 0n, tip) };
    } catch (error) {
      if (await this.#contract.isOnChain(block)) throw error;
      return null;
    }
  }

  #nonceAt(blockNumber: bigint): Promise<number> {
    return this.#contract.client.getTransactionCount({ address: this.#account.address, blockNumber });
  }

  async #forget(plans: readonly StoredPlan[], { finalNonce }: ChainState, lease: Lease): Promise<void> {
    for (const plan of plans) if (plan.nonce < finalNonce) await this.#records.removePlan(plan, lease);
    for (const { epoch } of await this.#records.refusals())
      if ((await this.#options.epochs.epoch(epoch))?.phase !== 'onchain')
        await this.#records.removeRefusal(epoch, lease);
  }

  /**
   * Only a reorganisation deeper than the final blocks leaves a gap, for its plans are forgotten. If the pool still has the
   * transaction, it is sent again as it was.
   */
  async #fillGaps(plans: readonly StoredPlan[], { nonce, fees }: ChainState, lease: Lease): Promise<void> {
    const { pool } = this.#options.relay;
    const planned = new Set(plans.map((plan) => plan.nonce));
    const last = plans.at(-1)?.nonce ?? -1;
    for (let missing = nonce; missing < last; missing += 1) {
      if (planned.has(missing)) continue;
      const { provider, satisfied } = await pool.byTag(accountTag(this.#sender, missing));
      // Satisfied: the pool has not yet undone the blocks that the chain has.
      if (provider === null && !satisfied) await this.#add({ nonce: missing, ...this.#nothing(), ...fees }, lease);
    }
  }

  async #planEpochs(chain: ChainState, lease: Lease): Promise<void> {
    const { epochs } = this.#options;
    for (const epoch of await epochs.activeEpochs()) {
      const plans = await this.#records.plans();
      const isUnderWay = plans.some((plan) => plan.epoch === epoch && plan.nonce >= chain.nonce);
      if (isUnderWay || (await epochs.epoch(epoch))?.phase !== 'onchain') continue;
      const certificate = await epochs.certificate(epoch);
      if (certificate !== null) await this.#plan(certificate, plans, chain, lease);
    }
  }

  async #plan(
    { epoch, root, signatures }: Certificate,
    plans: readonly StoredPlan[],
    { block, nonce, fees }: ChainState,
    lease: Lease,
  ): Promise<void> {
    const signed = { epoch, root, signatures: signatures.map(({ signature }) => signature) };
    const error = await this.#contract.wouldRevert(signed, this.#sender);
    if (error !== null) {
      if (!passing.has(error)) await this.#records.addRefusal({ epoch, reason: error }, lease);
      return;
    }
    // A reorganisation in between may have undone the very transaction that has submitted it, and be about to bring it back.
    if (!(await this.#contract.isOnChain(block))) return;
    const next = Math.max(nonce, (plans.at(-1)?.nonce ?? -1) + 1);
    const to = this.#options.contract.address;
    const gas = 120_000 + 20_000 * signatures.length;
    await this.#add({ nonce: next, epoch, to, data: this.#contract.submitData(signed), gas, ...fees }, lease);
  }

  async #add(plan: Omit<NoncePlan, 'hash'>, lease: Lease): Promise<void> {
    await this.#records.addPlan({ ...plan, hash: (await this.#signed(plan)).hash }, lease);
  }

  /** Brings the transaction of a plan into the pool, in the place of an older version of it. From there it is sent. */
  async #carryOut(plan: StoredPlan, chain: ChainState, lease: Lease): Promise<void> {
    const { pool } = this.#options.relay;
    const { provider } = await pool.byTag(accountTag(this.#sender, plan.nonce));
    // The chain went back, and the pool has not: its next blocks will show it.
    if (provider?.stage === 'Confirmed') return;
    if (provider?.hash === plan.hash) {
      if (provider.stage === 'Acknowledged' && plan.nonce === chain.nonce) await this.#bumpIfStuck(plan, chain, lease);
      return;
    }
    // A transaction in flight is not replaced. It is held back, so that it is not sent again before.
    if (provider !== null && provider.stage !== 'Pending')
      await pool.release(provider.hash, { notBeforeMs: Date.now() + replacingMs });
    const verdict = account(this.#sender, plan.nonce, chain.nonce, { priority: BigInt(plan.tip) });
    if (isRefusal(verdict)) return;
    await pool.submit({ ...(await this.#signed(plan)), payloadType: 2, verdict });
  }

  /** A transaction that no block takes is replaced by one that pays more. If its epoch has a root by now, the new one does nothing. */
  async #bumpIfStuck(plan: StoredPlan, { block, fees }: ChainState, lease: Lease): Promise<void> {
    const { relay, bumpAfterBlocks = 5 } = this.#options;
    const { nonConfirmations } = await relay.pool.status(plan.hash);
    if (nonConfirmations < bumpAfterBlocks) return;
    // After the block that has not used the nonce: a later one may have the root because it has taken this very transaction.
    const isNeeded = plan.epoch !== null && (await this.#contract.rootOf(plan.epoch, block.slot)) === null;
    if (!isNeeded && !(await this.#contract.isOnChain(block))) return;
    const next = { ...plan, ...(isNeeded ? {} : this.#nothing()), ...raised(plan, fees) };
    await this.#records.replacePlan({ ...next, hash: (await this.#signed(next)).hash }, lease);
  }

  /** A transaction that does nothing. */
  #nothing(): Pick<NoncePlan, 'epoch' | 'to' | 'data' | 'gas'> {
    return { epoch: null, to: this.#account.address, data: '0x', gas: 21_000 };
  }

  /** The same plan gives the same bytes. */
  async #signed(plan: Omit<NoncePlan, 'hash'>): Promise<{ readonly hash: string; readonly payload: Uint8Array }> {
    const { nonce, to, data, gas, tip, cap } = plan;
    const raw = await this.#account.signTransaction({
      type: 'eip1559',
      chainId: this.#options.contract.chainId,
      nonce,
      to,
      data,
      gas: BigInt(gas),
      maxPriorityFeePerGas: BigInt(tip),
      maxFeePerGas: BigInt(cap),
    });
    return { hash: keccak256(raw).slice(2), payload: Buffer.from(raw.slice(2), 'hex') };
  }
}
