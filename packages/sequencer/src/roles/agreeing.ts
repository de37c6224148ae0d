import type { Lease } from 'mempool-core';
import type { Agreement } from '../contract/batch.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import { agreementDigest } from '../rules/digest.ts';
import { agree, certify, reducedTo, standing } from '../rules/quorum.ts';
import { Batches } from '../store/batches.ts';
import { Epochs } from '../store/epochs.ts';
import { recordNames } from '../store/names.ts';
import type { Namespace } from '../store/namespace.ts';
import { maxRecordBytes } from '../store/records.ts';
import type { AggregatorOptions } from './aggregator-options.ts';

/** The chain may carry the epoch while this validator decides: then the chain's root stays. */
const notCarried = { phase: ['onchain'] } as const;

/** How the validators of an epoch come to one signed result. All of it is done by the leader. */
export class Agreeing {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #batches: Batches;
  readonly #options: AggregatorOptions;
  /** The inputs of each epoch's result, when this process last made it, endorsed it and noted its root. */
  readonly #settled = new Map<number, string>();

  constructor(namespace: Namespace, options: AggregatorOptions) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#batches = new Batches(namespace);
    this.#options = options;
  }

  /**
   * Level 2: when the batches of all validators are here, the time is over, or a quorum has endorsed a root already. True if the
   * epoch went on.
   */
  async level2(record: EpochRecord, lease: Lease): Promise<boolean> {
    const { epoch, level2, reason } = record;
    if (level2 === 'collecting') {
      if (!(await this.#isCollected(record))) return false;
      return (await this.#epochs.step(epoch, 'aggregate', lease)) !== null;
    }
    const root = (await this.#ownRoot(record, lease)) ?? (await this.#endorsed(record))?.root;
    if (root === undefined)
      return (await this.#epochs.step(epoch, 'failLevel2', lease, { reason: reason ?? 'no_quorum' })) !== null;
    const agreedAt = this.#namespace.now();
    return (await this.#epochs.step(epoch, 'agree', lease, { root, agreedAt })) !== null;
  }

  async #isCollected(record: EpochRecord): Promise<boolean> {
    const { epoch, validators, collectingAt } = record;
    const { level2TimeoutMs = 10_000 } = this.#options;
    if (collectingAt !== null && this.#namespace.now() >= collectingAt + level2TimeoutMs) return true;
    const receipts = await this.#batches.receipts(epoch);
    if (new Set(receipts.map(({ validator }) => validator)).size >= validators.length) return true;
    return (await this.#endorsed(record)) !== null;
  }

  /**
   * After level 2: makes the certificate when a quorum has endorsed one root. Before, batches that came late change the result,
   * and it is endorsed again: otherwise validators that were cut off for a while would never agree. True if something changed.
   */
  async onchain(record: EpochRecord, lease: Lease): Promise<boolean> {
    const { epoch, certifiedAt, onchain } = record;
    if (certifiedAt !== null) return false;
    const endorsed = await this.#endorsed(record);
    if (endorsed !== null) {
      await this.#sendOwn(epoch, endorsed.root);
      const { root } = await this.#batches.keepCertificate(endorsed, lease);
      const certified = { root, certifiedAt: this.#namespace.now() };
      return (await this.#epochs.note(epoch, lease, certified, notCarried)) !== null;
    }
    if (onchain !== 'pending') return false;
    if (this.#isTooLate(record))
      return (await this.#epochs.step(epoch, 'expire', lease, { reason: 'no_certificate' })) !== null;
    const root = await this.#ownRoot(record, lease);
    if (root === undefined || root === record.root) return false;
    return (await this.#epochs.note(epoch, lease, { root }, { ...notCarried, onchain: ['pending'] })) !== null;
  }

  #isTooLate({ agreedAt }: EpochRecord): boolean {
    const { certificateTimeoutMs = 60_000 } = this.#options;
    return agreedAt !== null && this.#namespace.now() >= agreedAt + certificateTimeoutMs;
  }

  async #endorsed({ epoch, validators, root }: EpochRecord) {
    return certify(epoch, await this.#batches.endorsements(epoch), validators, root);
  }

  /** The endorsed root of the batches' result; `undefined` without any agreement, or if nothing has changed. */
  async #ownRoot(record: EpochRecord, lease: Lease): Promise<string | undefined> {
    const { epoch, validators, level2 } = record;
    const receipts = await this.#batches.receipts(epoch);
    const madeFrom = JSON.stringify(standing(receipts, validators));
    if (level2 === 'completed' && this.#settled.get(epoch) === madeFrom) return undefined;
    const agreement = await this.#agreement(record, madeFrom, lease);
    const hasLeaves = agreement.leaves.length > 0;
    if (hasLeaves) await this.#endorse(record, agreement.root, lease);
    this.#settled.set(epoch, madeFrom);
    return hasLeaves ? agreement.root : undefined;
  }

  /** The record of the agreement, made again if it was made from other batches. One that came to something stays if they do not. */
  async #agreement({ epoch, validators }: EpochRecord, madeFrom: string, lease: Lease): Promise<Agreement> {
    const { records } = this.#namespace;
    for (;;) {
      const known = await records.read<Agreement>(recordNames.agreed(epoch));
      if (known !== null && isMadeFrom(known.value, madeFrom)) return known.value;
      const receipts = await this.#batches.receipts(epoch);
      const found = agree(epoch, await this.#batches.received(epoch, receipts), validators);
      const agreement = reducedTo(maxRecordBytes, found);
      if (known !== null && agreement.leaves.length === 0) return known.value;
      if (await records.replace(recordNames.agreed(epoch), agreement, known?.version ?? 0, lease)) return agreement;
    }
  }

  /** Signed once, and sent: after a crash the next leader sends the same. */
  async #endorse({ epoch, validators }: EpochRecord, root: string, lease: Lease): Promise<void> {
    const { validator, domain, sign } = this.#options;
    if (!validators.includes(validator)) return;
    const digest = agreementDigest({ domain, epoch, root });
    const endorsement = await this.#batches.endorse({ epoch, validator, root }, { digest, sign }, lease);
    await this.#batches.send(endorsement, endorsement.hash);
  }

  /** A leader that was killed may have completed the quorum here, without sending its signature to the other validators. */
  async #sendOwn(epoch: number, root: string): Promise<void> {
    const own = (await this.#batches.endorsements(epoch)).find(
      (each) => each.validator === this.#options.validator && each.root === root,
    );
    if (own !== undefined) await this.#batches.send(own, own.hash);
  }

  /** An epoch that has ended needs no more of it. */
  forget(epoch: number): void {
    this.#settled.delete(epoch);
  }
}

function isMadeFrom({ validators, equivocating }: Agreement, madeFrom: string): boolean {
  return JSON.stringify({ validators, equivocating }) === madeFrom;
}
