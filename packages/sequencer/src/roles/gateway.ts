import { textOf, toBytes } from '../codec/json.ts';
import { routeOf } from '../codec/message.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import type { Accepted, Envelope } from '../contract/submission.ts';
import { messageHash } from '../rules/digest.ts';
import { Epochs } from '../store/epochs.ts';
import type { Namespace } from '../store/namespace.ts';
import { PeerBuckets } from './peer-buckets.ts';
import { SlotQuota } from './slot-quota.ts';

/** Options of a gateway. */
export interface GatewayOptions {
  /** True for a slot of the epoch. Default: the dequeuer finds out. */
  readonly isSlot?: ((slot: number, epoch: number) => boolean | Promise<boolean>) | undefined;
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

/** How a message came. */
export interface Arrival {
  /** Who sent it, such as a peer id or an address. */
  readonly peer: string;
  /** The epoch that it was sent for, such as that of a topic; default: the one that the message names. */
  readonly epoch?: number | undefined;
}

type Found = EpochRecord | 'unknown-epoch' | 'closed';

const maxMessage = 16_384;
const maxBatch = 1_048_576;
const maxOfSlot = 1_000;
const ratePerPeer = 500;

/** Takes messages in: what it answers `received` is stored, and ends counted or Dropped with a reason. */
export class Gateway {
  readonly #namespace: Namespace;
  readonly #epochs: Epochs;
  readonly #options: GatewayOptions;
  readonly #quota: SlotQuota;
  readonly #peers: PeerBuckets;
  readonly #windows = new Map<number, EpochRecord>();
  readonly #finding = new Map<number, Promise<Found>>();
  /** By epoch and hash. */
  readonly #storing = new Map<string, Promise<Accepted>>();

  /** @throws `RangeError` naming the option, if a peer could never send anything */
  constructor(namespace: Namespace, options: GatewayOptions = {}) {
    this.#namespace = namespace;
    this.#epochs = new Epochs(namespace);
    this.#options = options;
    this.#quota = new SlotQuota(options.maxPerSlot ?? maxOfSlot);
    const {
      peerRate: rate = ratePerPeer,
      peerBurst: burst = Math.max(1, rate * 10),
      maxPeers: peers = 10_000,
    } = options;
    if (!(rate > 0)) throw new RangeError('peerRate must be more than 0');
    if (!(burst >= 1)) throw new RangeError('peerBurst must be at least 1');
    this.#peers = new PeerBuckets({ rate, burst, peers });
  }

  /** Stores a submission, after the checks that cost little: rate, size, epoch, window, slot. The signature is the dequeuer's. */
  async accept(bytes: Uint8Array, { peer, epoch: sentFor }: Arrival): Promise<Accepted> {
    const { maxMessageBytes = maxMessage, isSlot, maxPerSlot: limit = maxOfSlot } = this.#options;
    const retryMs = this.#peers.take(peer, this.#namespace.now());
    if (retryMs > 0) return { kind: 'rate-limit', retryMs };
    if (bytes.length > maxMessageBytes) return { kind: 'too-large', maxBytes: maxMessageBytes };
    const message = textOf(bytes);
    const route = message === null ? null : routeOf(message);
    if (message === null || route === null) return { kind: 'malformed' };
    const { slot } = route;
    const epoch = sentFor ?? route.epoch;
    const window = await this.#windowOf(epoch);
    if (typeof window === 'string') return { kind: window };
    if (this.#isOver(window)) return { kind: 'closed' };
    if (isSlot !== undefined && !(await isSlot(slot, epoch))) return { kind: 'unknown-slot' };
    if (this.#quota.isUsedUp(epoch, slot)) return { kind: 'slot-limit', limit };
    return this.#quota.counted(epoch, slot, () =>
      this.#store(window, messageHash(bytes), { slot, peer, at: this.#namespace.now(), message }),
    );
  }

  /**
   * Stores a batch or an endorsement of another validator. What is wrong with it is for the aggregator to say. With `peer` it
   * counts among the messages of that peer.
   */
  async acceptBatch(payload: Uint8Array, { peer }: Partial<Pick<Arrival, 'peer'>> = {}): Promise<Accepted> {
    const { maxBatchBytes: maxBytes = maxBatch } = this.#options;
    const retryMs = peer === undefined ? 0 : this.#peers.take(peer, this.#namespace.now());
    if (retryMs > 0) return { kind: 'rate-limit', retryMs };
    if (payload.length > maxBytes) return { kind: 'too-large', maxBytes };
    const hash = messageHash(payload);
    const { kind } = await this.#namespace.incoming.submit({ hash, payload });
    return answered(kind, hash, maxBytes);
  }

  /** One message at a time is stored, however often it comes meanwhile. */
  async #store(window: EpochRecord, hash: string, envelope: Envelope): Promise<Accepted> {
    const place = `${window.epoch} ${hash}`;
    const before = this.#storing.get(place);
    if (before !== undefined) {
      const accepted = await before;
      return accepted.kind === 'received' ? { kind: 'duplicate', hash } : accepted;
    }
    const storing = this.#storeNew(window, hash, envelope).finally(() => this.#storing.delete(place));
    this.#storing.set(place, storing);
    return storing;
  }

  /** A pool receives again what was dropped. Here that would be a second end of the same submission, so it is asked before. */
  #storeNew(window: EpochRecord, hash: string, envelope: Envelope): Promise<Accepted> {
    return this.#namespace.withEpoch(window, async (pool) => {
      if ((await pool.status(hash)).stage !== 'Unknown') return { kind: 'duplicate', hash };
      const { kind } = await pool.submit({ hash, payload: toBytes(envelope) });
      return answered(kind, hash, this.#options.maxMessageBytes ?? maxMessage);
    });
  }

  /** The first messages of an epoch come together, and ask once. What was asked before an epoch was opened is asked again. */
  async #windowOf(epoch: number): Promise<Found> {
    const known = this.#windows.get(epoch);
    if (known !== undefined) return known;
    const before = this.#finding.get(epoch);
    if (before !== undefined && (await before) !== 'unknown-epoch') return before;
    const finding = this.#findWindow(epoch).finally(() => this.#finding.delete(epoch));
    this.#finding.set(epoch, finding);
    return finding;
  }

  async #findWindow(epoch: number): Promise<Found> {
    const record = await this.#epochs.find(epoch);
    if (record === null) return 'unknown-epoch';
    if (record.phase !== 'submission' || this.#namespace.now() >= record.closesAt) return 'closed';
    this.#windows.set(epoch, record);
    // Nobody comes late to most windows, so those that are over are found here.
    for (const window of this.#windows.values()) this.#isOver(window);
    // A process that is a gateway only would keep the pools of all epochs open.
    await this.#namespace.closeOthers([...(await this.#epochs.active()), ...this.#windows.keys()]);
    return record;
  }

  #isOver({ epoch, closesAt }: EpochRecord): boolean {
    if (this.#namespace.now() < closesAt) return false;
    this.#windows.delete(epoch);
    this.#quota.forget(epoch);
    return true;
  }
}

/** The answer of a pool. One that knows the end of its window says `closed` itself. */
function answered(kind: string, hash: string, maxBytes: number): Accepted {
  if (kind === 'received' || kind === 'duplicate') return { kind, hash };
  if (kind === 'closed') return { kind };
  return kind === 'too-large' ? { kind, maxBytes } : { kind: 'full' };
}
