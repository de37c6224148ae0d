import type { Mempool } from 'mempool-core';
import { toBytes } from '../codec/json.ts';
import { readSubmission } from '../codec/message.ts';
import { readMessageHead } from '../codec/validator-message.ts';
import type { MessageHead } from '../contract/batch.ts';
import type { Accepted, SlotSignature, Submission } from '../contract/submission.ts';
import { domainBytes, messageHash, signedDigest, submissionDigest } from '../rules/digest.ts';
import { isTooLate } from '../rules/phases.ts';
import { mostBatches, mostEndorsements } from '../rules/quorum.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';
import type { AggregatorOptions } from './aggregator-options.ts';
import { type KnownEpoch, KnownEpochs } from './known-epochs.ts';
import { PeerBuckets } from './peer-buckets.ts';
import { Quota } from './quota.ts';

/** Options of a gateway. */
export interface GatewayOptions extends Pick<AggregatorOptions, 'domain' | 'verifyBatch'> {
  /** True for a slot of the epoch. */
  readonly isSlot: (slot: number, epoch: number) => boolean | Promise<boolean>;
  /** True if the slot has signed the digest. */
  readonly verifySlot: (signed: SlotSignature) => boolean | Promise<boolean>;
  /** The largest message, in bytes; default 16 KiB. */
  readonly maxMessageBytes?: number | undefined;
  /** The most messages of a slot for one epoch that this process stores; default 1,000. */
  readonly maxPerSlot?: number | undefined;
  /** How many messages per second a peer may send to this process; default 500. `Infinity`: any number. */
  readonly peerRate?: number | undefined;
  /** How many of them at once, after a time of silence; default ten seconds' worth. */
  readonly peerBurst?: number | undefined;
  /** The most peers whose rate is remembered; default 10,000. Of more, the one is forgotten that has been silent for longest. */
  readonly maxPeers?: number | undefined;
  /** The largest batch of another validator, in bytes; default 1 MiB. */
  readonly maxBatchBytes?: number | undefined;
}

/** The pool's clock decides whether a submission is in time. By its own clock this process refuses most late ones early. */
const courtesyMs = 1_000;

/** How a message came. */
export interface Arrival {
  /** The other end of the connection, such as an address or a peer id; not a sender that the message names. */
  readonly peer: string;
}

/** A message that passed all checks but the quota. */
interface Checked {
  readonly epoch: number;
  readonly hash: string;
  readonly payload: Uint8Array;
  /** Whose quota it counts for. */
  readonly sender: string;
  readonly quota: number;
  readonly maxBytes: number;
}

/**
 * Takes messages in. The checks come in the order of their cost, and before anything is stored: rate of the peer, size, form, epoch, slot
 * or validator, signature, quota. A message that fails is answered and not stored. Each stored one ends counted, or Dropped with a reason.
 */
export class Gateway {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #options: GatewayOptions;
  readonly #limits: ReturnType<typeof limitsOf>;
  readonly #quota = new Quota();
  readonly #peers: PeerBuckets;
  readonly #known: KnownEpochs;
  /** By epoch and hash. */
  readonly #storing = new Map<string, Promise<Accepted>>();

  /** @throws `RangeError` naming the option: `domain` is not the hex of 32 bytes, or a peer could never send anything */
  constructor(namespace: Namespace, options: GatewayOptions) {
    domainBytes(options.domain);
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#known = new KnownEpochs(namespace, (epoch) => this.#quota.forget(epoch));
    const { peerRate: rate, peerBurst: burst, maxPeers: peers } = this.#limits;
    if (!(rate > 0)) throw new RangeError('peerRate must be more than 0');
    if (!(burst >= 1)) throw new RangeError('peerBurst must be at least 1');
    this.#peers = new PeerBuckets({ rate, burst, peers });
  }

  /** Stores a submission that its slot has signed, under the digest that is signed: in other bytes it is a `duplicate`. */
  async accept(message: Uint8Array, { peer }: Arrival): Promise<Accepted> {
    const { maxMessageBytes: maxBytes, maxPerSlot: quota } = this.#limits;
    const refused = this.#refused(message, peer, maxBytes);
    if (refused !== null) return refused;
    const submission = readSubmission(message);
    if (submission === null) return { kind: 'malformed' };
    const { epoch, slot } = submission;
    const known = await this.#known.find(epoch);
    if (typeof known === 'string') return { kind: known };
    if (this.#namespace.now() >= known.closesAt + courtesyMs) return { kind: 'closed' };
    const hash = submissionDigest({ ...submission, domain: this.#options.domain });
    const unsigned = await this.#unsigned(submission, hash);
    if (unsigned !== null) return unsigned;
    const payload = toBytes({ ...submission, peer, at: this.#namespace.now() });
    return this.#namespace.withEpoch(known, (pool) =>
      this.#store(pool, { epoch, hash, payload, sender: `slot ${slot}`, quota, maxBytes }),
    );
  }

  async #unsigned({ epoch, slot, signature }: Submission, digest: string): Promise<Accepted | null> {
    const { isSlot, verifySlot } = this.#options;
    if (!(await isSlot(slot, epoch))) return { kind: 'unknown-slot' };
    return (await verifySlot({ digest, epoch, slot, signature })) ? null : { kind: 'bad-signature' };
  }

  /** Stores a batch or an endorsement that a validator of the epoch has signed. The leaves of a batch are for the aggregator to check. */
  async acceptBatch(payload: Uint8Array, { peer }: Arrival): Promise<Accepted> {
    const { maxBatchBytes: maxBytes } = this.#limits;
    const { domain, verifyBatch } = this.#options;
    const refused = this.#refused(payload, peer, maxBytes);
    if (refused !== null) return refused;
    const head = readMessageHead(payload);
    if (head === null) return { kind: 'malformed' };
    const { epoch, validator, signature } = head;
    const known = await this.#known.find(epoch);
    if (typeof known === 'string') return { kind: known };
    if (!known.validators.includes(validator)) return { kind: 'unknown-validator' };
    const digest = signedDigest(head, domain, known.validators);
    if (!(await verifyBatch({ digest, validator, signature }))) return { kind: 'bad-signature' };
    const record = await this.#epochs.find(epoch);
    if (record === null || isTooLate(head, record)) return { kind: 'closed' };
    const hash = messageHash(digest, validator);
    return this.#store(this.#namespace.incoming, { epoch, hash, payload, maxBytes, ...quotaOf(head, known) });
  }

  /** The checks that read nothing of the message. */
  #refused({ length }: Uint8Array, peer: string, maxBytes: number): Accepted | null {
    const retryMs = this.#peers.take(peer, this.#namespace.now());
    if (retryMs > 0) return { kind: 'rate-limit', retryMs };
    return length > maxBytes ? { kind: 'too-large', maxBytes } : null;
  }

  /** Stores a message once, however often it comes meanwhile. */
  async #store(pool: Mempool, checked: Checked): Promise<Accepted> {
    const { epoch, hash } = checked;
    const place = `${epoch} ${hash}`;
    const before = this.#storing.get(place);
    if (before !== undefined) {
      const accepted = await before;
      return accepted.kind === 'received' ? { kind: 'duplicate', hash } : accepted;
    }
    const storing = this.#storeNew(pool, checked).finally(() => this.#storing.delete(place));
    this.#storing.set(place, storing);
    return storing;
  }

  /** A pool receives a dropped hash again. A second end of the same message would be wrong, so check its status first. */
  async #storeNew(pool: Mempool, { epoch, hash, payload, sender, quota, maxBytes }: Checked): Promise<Accepted> {
    if ((await pool.status(hash)).stage !== 'Unknown') return { kind: 'duplicate', hash };
    if (!this.#quota.take(epoch, sender, quota)) return { kind: 'quota', limit: quota };
    let isReceived = false;
    try {
      const { kind } = await pool.submit({ hash, payload });
      isReceived = kind === 'received';
      return answered(kind, hash, maxBytes);
    } finally {
      if (!isReceived) this.#quota.giveBack(epoch, sender);
    }
  }
}

function quotaOf(head: MessageHead, { validators }: KnownEpoch): Pick<Checked, 'sender' | 'quota'> {
  if ('cid' in head) return { sender: `batch ${head.validator}`, quota: mostBatches };
  return { sender: `endorsement ${head.validator}`, quota: mostEndorsements(validators.length) };
}

function limitsOf({
  maxMessageBytes = 16_384,
  maxBatchBytes = 1_048_576,
  maxPerSlot = 1_000,
  peerRate = 500,
  peerBurst = Math.max(1, peerRate * 10),
  maxPeers = 10_000,
}: GatewayOptions) {
  return { maxMessageBytes, maxBatchBytes, maxPerSlot, peerRate, peerBurst, maxPeers };
}

/** The answer of a pool. */
function answered(kind: string, hash: string, maxBytes: number): Accepted {
  if (kind === 'received' || kind === 'duplicate') return { kind, hash };
  return kind === 'too-large' ? { kind, maxBytes } : { kind: 'full' };
}
