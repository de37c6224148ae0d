import { type Lease, type Mempool, MempoolError } from 'mempool-core';
import type { Hex } from 'viem';
import { DeposedError } from '../store/records.ts';

/**
 * The use of a nonce of the relayer's account. It is all that is signed, so every process that executes it makes the same bytes. It is written
 * before anything is sent, and stays until no reorganisation can undo its block: so a nonce never gets a second meaning, nor a gap.
 */
export interface NoncePlan {
  readonly nonce: number;
  /** The epoch that it submits; `null`: it only fills the nonce. */
  readonly epoch: number | null;
  readonly to: Hex;
  readonly data: Hex;
  readonly gas: number;
  /** `maxPriorityFeePerGas` in wei, as decimal text. */
  readonly tip: string;
  /** `maxFeePerGas` in wei, as decimal text. */
  readonly cap: string;
  /** Of the transaction, without `0x`. */
  readonly hash: string;
}

/** A plan as it was read, with the version to replace it under. */
export interface StoredPlan extends NoncePlan {
  readonly version: number;
}

/** Why the contract refuses an epoch's root for good. */
export interface RefusedEpoch {
  readonly epoch: number;
  readonly reason: string;
}

const padded = (value: number): string => String(value).padStart(16, '0');
const planName = (nonce: number): string => `plan/${padded(nonce)}`;
const refusalName = (epoch: number): string => `refused/${padded(epoch)}`;

/** The records of a relayer, in its pool. */
export class RelayRecords {
  readonly #pool: Pick<Mempool, 'listRecords' | 'putRecord'>;

  constructor(pool: Pick<Mempool, 'listRecords' | 'putRecord'>) {
    this.#pool = pool;
  }

  /** By nonce. */
  async plans(): Promise<StoredPlan[]> {
    const found = await this.#list<NoncePlan>('plan/');
    return found.map(({ value, version }) => ({ ...value, version }));
  }

  /** Writes the plan of a nonce that has none. False: it has one. @throws `DeposedError` if the lease is not the live one */
  async addPlan(plan: NoncePlan, lease: Lease): Promise<boolean> {
    return this.#put(planName(plan.nonce), plan, 0, lease);
  }

  /** False: another has changed it meanwhile. @throws as `addPlan` */
  async replacePlan({ version, ...plan }: StoredPlan, lease: Lease): Promise<boolean> {
    return this.#put(planName(plan.nonce), plan, version, lease);
  }

  /** @throws as `addPlan` */
  async removePlan({ nonce, version }: StoredPlan, lease: Lease): Promise<void> {
    await this.#put(planName(nonce), null, version, lease);
  }

  async refusals(): Promise<RefusedEpoch[]> {
    return (await this.#list<RefusedEpoch>('refused/')).map(({ value }) => value);
  }

  /** @throws as `addPlan` */
  async addRefusal(refused: RefusedEpoch, lease: Lease): Promise<void> {
    await this.#put(refusalName(refused.epoch), refused, undefined, lease);
  }

  /** @throws as `addPlan` */
  async removeRefusal(epoch: number, lease: Lease): Promise<void> {
    await this.#put(refusalName(epoch), null, undefined, lease);
  }

  async #list<T>(prefix: string): Promise<{ readonly value: T; readonly version: number }[]> {
    const all: { readonly value: T; readonly version: number }[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#pool.listRecords(prefix, { after, limit: 1_000 });
      for (const { value, version } of page.records)
        all.push({ value: JSON.parse(Buffer.from(value).toString()), version });
      if (page.records.length === 0) return all;
      after = page.next;
    }
  }

  async #put(name: string, value: object | null, version: number | undefined, lease: Lease): Promise<boolean> {
    const bytes = value === null ? null : Buffer.from(JSON.stringify(value));
    const { kind } = await this.#pool.putRecord(name, bytes, { version, lease });
    if (kind === 'fenced') throw new DeposedError(`another node leads: ${name} was not written`);
    if (kind === 'full') throw new MempoolError('ERR_MEMPOOL_STORE_FULL', `no room for the record ${name}`);
    return kind === 'stored';
  }
}
