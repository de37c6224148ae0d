import type { Lease } from 'mempool-core';
import { encodeBatch, readBatch } from '../codec/batch.ts';
import { encodeEndorsement } from '../codec/validator-message.ts';
import type { Batch, BatchReason, Certificate, Endorsement } from '../contract/batch.ts';
import { messageHash } from '../rules/digest.ts';
import { partsOf } from '../rules/parts.ts';
import { endorsedBy, prefixOf, recordNames } from './names.ts';
import type { Namespace } from './namespace.ts';

/** Records that a validator's batch is here. The batch itself is in the pool that its hash is in. */
export interface Receipt extends Pick<Batch, 'validator' | 'root' | 'cid'> {
  /** `messageHash`. */
  readonly hash: string;
  /** When it was checked, in milliseconds since 1970. */
  readonly at: number;
}

/** An endorsement with the hash of its message. */
interface KeptEndorsement extends Endorsement {
  readonly hash: string;
}

/** A digest, and the validator's way to sign it. */
interface Signing {
  readonly digest: string;
  readonly sign: (digest: string) => string | Promise<string>;
}

type NotKept = Extract<BatchReason, 'duplicate' | 'equivocation'>;

/** The batches, endorsements and certificates of a namespace's epochs. */
export class Batches {
  readonly #namespace: Namespace;

  constructor(namespace: Namespace) {
    this.#namespace = namespace;
  }

  /** This validator's own batch; `null` before. */
  async local(epoch: number): Promise<Batch | null> {
    return (await this.#namespace.records.read<Batch>(recordNames.local(epoch)))?.value ?? null;
  }

  /**
   * Keeps that a batch is here. Returns why not: there is one with this root and another content id, or there are two others, which are
   * enough to show that the validator contradicts itself.
   */
  async keep({ epoch, validator, root, cid }: Batch, hash: string): Promise<NotKept | null> {
    const { records, now } = this.#namespace;
    const receipt: Receipt = { validator, root, cid, hash, at: now() };
    for (const place of [0, 1] as const) {
      const kept = await records.writeOnce(recordNames.received(epoch, validator, place), receipt);
      if (kept.root === root) return kept.hash === hash ? null : 'duplicate';
    }
    return 'equivocation';
  }

  async receipts(epoch: number): Promise<Receipt[]> {
    return this.#values('received', epoch);
  }

  /** The batches themselves, which are in the pool `incoming`; this validator's batch is a record. */
  async received(epoch: number, receipts: readonly Receipt[]): Promise<Batch[]> {
    const own = await this.local(epoch);
    const hashes = receipts.map(({ hash }) => hash);
    const payloads = await this.#namespace.incoming.payloads(hashes);
    const others = payloads.map((each) => (each !== null && 'payload' in each ? readBatch(each.payload) : null));
    return [own, ...others].filter((each) => each !== null);
  }

  /** Keeps an endorsement. Returns why not: its validator has endorsed `most` roots already. */
  async keepEndorsement(endorsement: Endorsement, hash: string, most: number): Promise<'equivocation' | null> {
    const { records } = this.#namespace;
    const { epoch, validator, root } = endorsement;
    const roots = new Set((await records.list(endorsedBy(epoch, validator))).map(({ name }) => name));
    const name = recordNames.endorsed(epoch, validator, root);
    if (!roots.has(name) && roots.size >= most) return 'equivocation';
    await records.writeOnce<KeptEndorsement>(name, { ...endorsement, hash });
    return null;
  }

  /** This validator's endorsement of a root, signed once. */
  async endorse(
    { epoch, validator, root }: Omit<Endorsement, 'signature'>,
    { digest, sign }: Signing,
    lease: Lease,
  ): Promise<KeptEndorsement> {
    const { records } = this.#namespace;
    const name = recordNames.endorsed(epoch, validator, root);
    const known = await records.read<KeptEndorsement>(name);
    if (known !== null) return known.value;
    const hash = messageHash(digest, validator);
    return records.writeOnce(name, { epoch, validator, root, signature: await sign(digest), hash }, lease);
  }

  endorsements(epoch: number): Promise<KeptEndorsement[]> {
    return this.#values('endorsed', epoch);
  }

  /** Puts a message for the other validators into the pool `outgoing`, once. */
  async send(message: Batch | Endorsement, hash: string): Promise<void> {
    const payload = 'leaves' in message ? encodeBatch(message) : encodeEndorsement(message);
    await this.#namespace.outgoing.submit({ hash, payload });
  }

  async certificate(epoch: number): Promise<Certificate | null> {
    return (await this.#namespace.records.read<Certificate>(recordNames.certificate(epoch)))?.value ?? null;
  }

  /** Written once: the first that was found stays. */
  keepCertificate(certificate: Certificate, lease: Lease): Promise<Certificate> {
    return this.#namespace.records.writeOnce(recordNames.certificate(certificate.epoch), certificate, lease);
  }

  /** Removes the messages of an epoch from the pools `incoming` and `outgoing`. The records stay. */
  async drop(epoch: number): Promise<void> {
    const kept = [...(await this.receipts(epoch)), ...(await this.endorsements(epoch))];
    const { incoming, outgoing } = this.#namespace;
    for (const hashes of partsOf([...new Set(kept.map(({ hash }) => hash))], 1_000))
      for (const pool of [incoming, outgoing]) await pool.drop(hashes, { app: 'done' });
  }

  async #values<T>(kind: 'received' | 'endorsed', epoch: number): Promise<T[]> {
    const found = await this.#namespace.records.list<T>(prefixOf(kind, epoch));
    return found.map(({ value }) => value);
  }
}
