import type { Batch } from '../contract/batch.ts';

/** Options of an aggregator. */
export interface AggregatorOptions {
  /** The name of this validator, as the epochs' validators have it. */
  readonly validator: string;
  /** Binds signatures to one chain, contract and market: hex of 32 bytes. All validators have the same. */
  readonly domain: string;
  /** Publishes the leaves and returns where they are. The same batch may be published again after a crash. */
  readonly publish: (batch: Pick<Batch, 'epoch' | 'root' | 'leaves'>) => string | Promise<string>;
  /** Signs a digest (32 bytes, hex). Returns the signature as hex. */
  readonly sign: (digest: string) => string | Promise<string>;
  /** True if the digest is signed by that validator. */
  readonly verifyBatch: (signed: SignedDigest) => boolean | Promise<boolean>;
  /** How long to wait for the batches of other validators, in milliseconds; default 10,000. */
  readonly level2TimeoutMs?: number | undefined;
  /** How long after level 2 a quorum's endorsements of one root are waited for, in milliseconds; default 60,000. */
  readonly certificateTimeoutMs?: number | undefined;
}

/** A digest, its claimed signer, and the signature. */
export interface SignedDigest {
  readonly digest: string;
  readonly validator: string;
  readonly signature: string;
}
