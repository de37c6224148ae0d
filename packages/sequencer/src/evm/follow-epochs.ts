import { setTimeout as delay } from 'node:timers/promises';
import type { ChainPoint, Lease, Mempool } from 'mempool-core';
import type { ChainEvent } from '../contract/chain.ts';
import type { EpochMonitor, LeaderPart } from '../roles/monitor.ts';
import type { Sequencer } from '../sequencer.ts';
import { type ContractEvent, type Deployed, EpochContract } from './contract.ts';
import { RelayRecords } from './relay-records.ts';

/** Options of `followEpochs`. */
export interface FollowOptions {
  /** The contract of the epochs, and how to reach it. */
  readonly contract: Deployed;
  /** The pool of this validator's relayer, which follows the chain. */
  readonly relay: Pick<Mempool, 'tip' | 'status' | 'listRecords' | 'putRecord'>;
  /** Receives the events of the contract. */
  readonly sequencer: Pick<Sequencer, 'epoch' | 'namespace'> & { readonly monitor: Pick<EpochMonitor, 'apply'> };
  /** How many blocks make a block final; default 6. It must be the relayer's. */
  readonly finalityBlocks?: number | undefined;
  /** The block that the contract is in, or an earlier one; default 0. */
  readonly fromBlock?: number | undefined;
  /** The pause between two looks, in milliseconds; default 200. */
  readonly pollMs?: number | undefined;
  /** Called with each failure; it is tried again. */
  readonly report?: ((error: unknown) => void) | undefined;
}

type Agreed = Extract<ContractEvent, { readonly kind: 'agreed' }>;

/** The reported state of the chain, as a record of the namespace. */
interface Followed {
  /** Up to this block all is reported, for good. */
  readonly final: number;
  /** The roots in later blocks. */
  readonly agreed: readonly Agreed[];
}

const recordName = 'chain/followed';
/** Nodes answer for so many blocks at once. */
const maxBlocks = 2_000;

/**
 * Reports to the sequencer's monitor the events of its epochs on the chain and in the relayer, until the signal aborts. The leader of the namespace
 * calls it. It compares the chain up to the relay pool's tip with the last report, so that a crash at any point loses nothing.
 */
export async function followEpochs(
  options: FollowOptions,
  { lease }: Pick<LeaderPart, 'lease'>,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const follower = new EpochFollower(options, lease);
  while (!signal.aborted) {
    await follower.look().catch((error: unknown) => (signal.aborted ? undefined : options.report?.(error)));
    await delay(options.pollMs ?? 200, undefined, { signal }).catch(() => undefined);
  }
}

class EpochFollower {
  readonly #options: FollowOptions;
  readonly #lease: Lease;
  readonly #contract: EpochContract;
  readonly #records: RelayRecords;
  /** The relay pool's tip up to which all is reported. */
  #reportedUpTo: string | null = null;

  constructor(options: FollowOptions, lease: Lease) {
    this.#options = options;
    this.#lease = lease;
    this.#contract = new EpochContract(options.contract);
    this.#records = new RelayRecords(options.relay);
  }

  async look(): Promise<void> {
    const { point } = await this.#options.relay.tip();
    if (point !== null && point.hash !== this.#reportedUpTo && (await this.#reportChain(point)))
      this.#reportedUpTo = point.hash;
    await this.#reportRelay();
  }

  /** False: there is more to report, or the node's chain is not the pool's now. So the caller looks again. */
  async #reportChain(tip: ChainPoint): Promise<boolean> {
    const before = await this.#followed();
    const last = Math.min(tip.slot, before.final + maxBlocks);
    const events = last > before.final ? await this.#contract.events(before.final + 1, last) : [];
    if (!(await this.#contract.isOnChain(tip))) return false;
    for (const event of events) if (event.kind === 'released') await this.#report(event);
    const agreed = events.filter((event) => event.kind === 'agreed');
    await this.#reportAgreed(before, agreed);
    const final = tip.slot - (this.#options.finalityBlocks ?? 6) + 1;
    await this.#reportFinal(before, agreed, Math.min(final, last));
    return last >= tip.slot;
  }

  /** Undone ones first: the same epoch may be on the chain again, in another transaction. */
  async #reportAgreed(before: Followed, agreed: readonly Agreed[]): Promise<void> {
    const isThere = (one: Agreed): boolean =>
      agreed.some(
        ({ epoch, root, transaction }) => epoch === one.epoch && root === one.root && transaction === one.transaction,
      );
    for (const one of before.agreed) if (!isThere(one)) await this.#report({ kind: 'undone', epoch: one.epoch });
    // Written before they are reported, so that a reorganisation after a crash finds them.
    await this.#write({ final: before.final, agreed });
    for (const one of agreed) await this.#report({ ...one, kind: 'confirmed' });
  }

  async #reportFinal(before: Followed, agreed: readonly Agreed[], final: number): Promise<void> {
    if (final <= before.final) return;
    for (const one of agreed) if (one.slot <= final) await this.#report({ ...one, kind: 'finalized' });
    await this.#write({ final, agreed: agreed.filter(({ slot }) => slot > final) });
  }

  async #reportRelay(): Promise<void> {
    const { relay, sequencer } = this.#options;
    for (const { epoch, reason } of await this.#records.refusals())
      await this.#report({ kind: 'refused', epoch, reason });
    for (const { epoch, hash } of await this.#records.plans()) {
      const record = epoch === null ? null : await sequencer.epoch(epoch);
      if (epoch === null || record?.phase !== 'onchain' || record.onchain === 'submitted') continue;
      await this.#report({ kind: 'queued', epoch });
      const [status] = await relay.status([hash]);
      if (status?.stage === 'Acknowledged') await this.#report({ kind: 'submitted', epoch, transaction: hash });
    }
  }

  async #report(event: ChainEvent): Promise<void> {
    await this.#options.sequencer.monitor.apply(event, this.#lease);
  }

  async #followed(): Promise<Followed> {
    const { sequencer, fromBlock = 0 } = this.#options;
    const found = await sequencer.namespace.records.read<Followed>(recordName);
    return found?.value ?? { final: fromBlock - 1, agreed: [] };
  }

  async #write(followed: Followed): Promise<void> {
    await this.#options.sequencer.namespace.records.replace(recordName, followed, undefined, this.#lease);
  }
}
