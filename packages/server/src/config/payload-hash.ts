import { hash } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { misconfigured } from 'mempool-core/backend';
import { installedModule } from './find-extension.ts';
import type { PayloadHashName } from './server-config.ts';

/** Computes the hash of a transaction, as hex, from its bytes. It throws if the bytes are no transaction. */
export type PayloadHash = (payload: Uint8Array) => string;

/** Those that take all bytes of the payload. */
const own: Readonly<Record<Exclude<PayloadHashName, 'cardano'>, PayloadHash>> = {
  sha256: (payload) => hash('sha256', payload, 'hex'),
  'blake2b-256': (payload) => Buffer.from(blake2b(payload, { dkLen: 32 })).toString('hex'),
  'keccak-256': (payload) => Buffer.from(keccak_256(payload)).toString('hex'),
};

/**
 * Returns a named way to compute the hash. `cardano` takes the body of a Cardano transaction, and is a function of the package
 * `mempool-cardano`, which is looked for as an extension is.
 * @throws `ERR_MEMPOOL_CONFIG` naming `server.hash` if the package is not installed
 */
export async function payloadHash(name: PayloadHashName, folder: string = process.cwd()): Promise<PayloadHash> {
  if (name !== 'cardano') return own[name];
  const module = 'mempool-cardano';
  const { transactionHash } = await installedModule({ section: 'server.hash', module, folder });
  if (typeof transactionHash === 'function') return transactionHash as PayloadHash;
  throw misconfigured('server.hash', `needs ${module}, which exports no transactionHash`);
}
