import type { Lease, WorkDone } from 'mempool-core';
import type { Batch, Leaf } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { batchDigest, domainBytes, merkleRoot, messageHash, signedDigest } from '../rules/digest.ts';
import { jsonBytes } from '../rules/parts.ts';
import { Batches } from '../store/batches.ts';
import { Epochs } from '../store/epochs.ts';
import { prefixOf, recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { maxRecordBytes } from '../store/records.ts';
import type { AggregatorOptions } from './aggregator-options.ts';
import { Agreeing } from './agreeing.ts';
import { type CollectOptions, receiveMessages } from './receiving.ts';
import { dropItems } from './tallying.ts';

/** Room in the record of a batch for all fields but the leaves: content id, signature and validator at their longest. */
const bytesBesideLeaves = 2_048;

/** Makes this validator's batch of an epoch, and agrees on one result with the batches of all. */
export class Aggregator {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #batches: Batches;
  readonly #agreeing: Agreeing;
  readonly #options: AggregatorOptions;

  /** @throws `RangeError` if `domain` is not the hex of 32 bytes */
  constructor(namespace: Namespace, options: AggregatorOptions) {
    domainBytes(options.domain);
    this.#namespace = namespace;
    this.#batches = new Batches(namespace);
    this.#agreeing = new Agreeing(namespace, options);
    this.#epochs = new Epochs(namespace);
    this.#options = options;
  }

  /**
   * Level 1, by the leader, after the tally: when all parts are counted, makes the batch, signs it, and puts it into the pool
   * `outgoing`. True if the epoch went on. A batch that no record holds is not made: other validators may have smaller ones.
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
    if (isTooLarge(leaves)) return skip('batch_too_large');
    const batch = await this.#batch(epoch, leaves, validators, lease);
    await this.#send(batch, validators);
    await dropItems(this.#namespace, epoch, tally.parts);
    const facts = { localRoot: batch.root, collectingAt };
    return (await this.#epochs.step(epoch, 'batch', lease, facts)) !== null;
  }

  /** Made once: after a crash the next leader sends the same. */
  async #batch(epoch: number, leaves: readonly Leaf[], validators: readonly string[], lease: Lease): Promise<Batch> {
    const { records } = this.#namespace;
    const known = await this.#batches.local(epoch);
    if (known !== null) return known;
    const { validator, domain, publish, sign } = this.#options;
    const root = merkleRoot(leaves);
    const cid = await publish({ epoch, root, leaves });
    const signature = await sign(batchDigest({ domain, epoch, root, cid }, validators));
    return records.writeOnce(recordNames.local(epoch), { epoch, validator, root, cid, leaves, signature }, lease);
  }

  async #send(batch: Batch, validators: readonly string[]): Promise<void> {
    const hash = messageHash(signedDigest(batch, this.#options.domain, validators), batch.validator);
    await this.#batches.keep(batch, hash);
    await this.#batches.send(batch, hash);
  }

  /** Level 2, by the leader: the result of all validators' batches (`Agreeing`). True if the epoch went on. */
  level2(record: EpochRecord, lease: Lease): Promise<boolean> {
    return this.#agreeing.level2(record, lease);
  }

  /** After level 2, by the leader: the certificate, and the changes by late batches before there is one. True if something changed. */
  onchain(record: EpochRecord, lease: Lease): Promise<boolean> {
    return this.#agreeing.onchain(record, lease);
  }

  /** Frees this process's memory of an ended epoch. */
  forget(epoch: number): void {
    this.#agreeing.forget(epoch);
  }

  /** Keeps the messages of other validators that the gateway has stored, until the signal aborts. Any number of processes may. */
  collect(options: CollectOptions): Promise<WorkDone> {
    return receiveMessages(this.#namespace, options);
  }
}

function isTooLarge(leaves: readonly Leaf[]): boolean {
  return jsonBytes(leaves) + bytesBesideLeaves > maxRecordBytes;
}
