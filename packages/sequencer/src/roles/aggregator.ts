import { type Lease, UnrecoverableError, type WorkDone } from 'mempool-core';
import { encodeBatch, readBatch } from '../codec/batch.ts';
import type { Agreement, Batch, BatchReason, Leaf } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { batchDigest, bytesDigest, merkleRoot } from '../rules/digest.ts';
import { agree } from '../rules/quorum.ts';
import { Epochs } from '../store/epochs.ts';
import { prefixOf, recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { dropItems } from './tallying.ts';

/** Options of an aggregator. */
export interface AggregatorOptions {
  /** The name of this validator, as the epochs' validators have it. */
  readonly validator: string;
  /** Publishes the leaves and returns where they are. The same batch may be published again after a crash. */
  readonly publish: (batch: Pick<Batch, 'epoch' | 'root' | 'leaves'>) => string | Promise<string>;
  /** Signs a digest (32 bytes, hex). Returns the signature as hex. */
  readonly sign: (digest: string) => string | Promise<string>;
  /** True if the digest is signed by that validator. */
  readonly verifyBatch: (signed: SignedDigest) => boolean | Promise<boolean>;
  /** How long the batches of the others are waited for, in milliseconds; default 10,000. */
  readonly level2TimeoutMs?: number | undefined;
}

/** A digest, who is said to have signed it, and the signature. */
export interface SignedDigest {
  readonly digest: string;
  readonly validator: string;
  readonly signature: string;
}

/** Makes this validator's batch of an epoch, and agrees on one result with the batches of all. */
export class Aggregator {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #options: AggregatorOptions;

  constructor(namespace: Namespace, options: AggregatorOptions) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#options = options;
  }

  /**
   * Level 1, by the leader, after the tally: when all parts are counted, makes the batch, signs it, and puts it into the pool
   * `outgoing`. True if the epoch went on.
   */
  async level1({ epoch, validators, tally }: EpochRecord, lease: Lease): Promise<boolean> {
    if (tally === null) return false;
    const collectingAt = this.#namespace.now();
    const skip = async (reason: string) =>
      (await this.#epochs.step(epoch, 'skip', lease, { reason, collectingAt })) !== null;
    if (tally.parts === 0) return skip('no_submissions');
    const results = await this.#namespace.records.list<Leaf[]>(prefixOf('part', epoch));
    if (results.length < tally.parts) return false;
    if (!validators.includes(this.#options.validator)) return skip('not_a_validator');
    const leaves = results.flatMap(({ value }) => value);
    const batch = await this.#batch(epoch, leaves, validators, lease);
    await this.#send(batch);
    await dropItems(this.#namespace, epoch, tally.parts);
    const facts = { localRoot: batch.root, collectingAt };
    return (await this.#epochs.step(epoch, 'batch', lease, facts)) !== null;
  }

  /** Made once: after a crash the next leader sends the same. */
  async #batch(epoch: number, leaves: readonly Leaf[], validators: readonly string[], lease: Lease): Promise<Batch> {
    const { records } = this.#namespace;
    const known = await records.read<Batch>(recordNames.local(epoch));
    if (known !== null) return known.value;
    const { validator, publish, sign } = this.#options;
    const root = merkleRoot(leaves);
    const cid = await publish({ epoch, root, leaves });
    const signature = await sign(batchDigest({ epoch, root, cid }, validators));
    return records.writeOnce(recordNames.local(epoch), { epoch, validator, root, cid, leaves, signature }, lease);
  }

  async #send(batch: Batch): Promise<void> {
    const payload = encodeBatch(batch);
    await this.#keep(batch);
    await this.#namespace.outgoing.submit({ hash: bytesDigest(payload), payload });
  }

  async #keep(batch: Batch): Promise<void> {
    await this.#namespace.records.writeOnce(recordNames.received(batch.epoch, batch.validator, batch.root), batch);
  }

  /** Level 2, by the leader: when the batches of all validators are here, or the time is over. True if the epoch went on. */
  async level2(record: EpochRecord, lease: Lease): Promise<boolean> {
    const { epoch, level2, reason } = record;
    if (level2 === 'collecting') {
      if (!(await this.#isCollected(record))) return false;
      return (await this.#epochs.step(epoch, 'aggregate', lease)) !== null;
    }
    const agreement = await this.#agreement(record, lease);
    if (agreement.leaves.length > 0)
      return (await this.#epochs.step(epoch, 'agree', lease, { root: agreement.root })) !== null;
    return (await this.#epochs.step(epoch, 'failLevel2', lease, { reason: reason ?? 'no_quorum' })) !== null;
  }

  async #isCollected({ epoch, validators, collectingAt }: EpochRecord): Promise<boolean> {
    const { level2TimeoutMs = 10_000 } = this.#options;
    if (collectingAt !== null && this.#namespace.now() >= collectingAt + level2TimeoutMs) return true;
    const batches = await this.#received(epoch);
    return new Set(batches.map(({ validator }) => validator)).size >= validators.length;
  }

  /** Written once: batches that come later change nothing. */
  async #agreement({ epoch, validators }: EpochRecord, lease: Lease): Promise<Agreement> {
    const { records } = this.#namespace;
    const known = await records.read<Agreement>(recordNames.agreed(epoch));
    if (known !== null) return known.value;
    return records.writeOnce(recordNames.agreed(epoch), agree(epoch, await this.#received(epoch), validators), lease);
  }

  async #received(epoch: number): Promise<Batch[]> {
    const found = await this.#namespace.records.list<Batch>(prefixOf('received', epoch));
    return found.map(({ value }) => value);
  }

  /** Checks the batches of the other validators until the signal aborts. Any number of processes may. */
  collect({ owner, signal }: { readonly owner: string; readonly signal: AbortSignal }): Promise<WorkDone> {
    const check = async ({ payload }: { readonly payload: Uint8Array }): Promise<void> => {
      const reason = await this.#receive(payload);
      if (reason !== null) throw new UnrecoverableError(reason, { reason: { app: reason } });
    };
    return this.#namespace.incoming.work(check, { owner, signal, backoff: () => 250, attempts: 100 });
  }

  /** Why the batch is refused; `null` if it counts. @throws if its epoch has not begun here: it is looked at again */
  async #receive(payload: Uint8Array): Promise<BatchReason | null> {
    const batch = readBatch(payload);
    if (batch === null) return 'malformed';
    const record = await this.#epochs.find(batch.epoch);
    if (record === null) throw new Error(`epoch ${batch.epoch} has not begun here`);
    const { validator, signature } = batch;
    if (!record.validators.includes(validator)) return 'unknown-validator';
    const digest = batchDigest(batch, record.validators);
    if (!(await this.#options.verifyBatch({ digest, validator, signature }))) return 'bad-signature';
    const isOver = record.level2 !== 'pending' && record.level2 !== 'collecting';
    if (isOver || record.phase === 'complete' || record.phase === 'failed') return 'late';
    await this.#keep(batch);
    return null;
  }
}
