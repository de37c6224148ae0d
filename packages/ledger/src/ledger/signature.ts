import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { badArgument } from '../contract/errors.ts';
import type { Signature } from './verbs.ts';

/** The fields that a signature covers. */
export interface SignedFields {
  readonly ledger: string;
  readonly id: string;
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency: string;
}

/** Returns the text to sign for a wallet with a `signer`: a JSON array, as UTF-8. secp256k1 signs its SHA-256, ed25519 the text itself. */
export function signedText({ ledger, id, source, destination, amount, currency }: SignedFields): string {
  return JSON.stringify(['mempool-ledger', ledger, id, source, destination, amount.toString(), currency]);
}

const keyLengths = { secp256k1: 66, ed25519: 64 } as const;

interface Key {
  readonly curve: keyof typeof keyLengths;
  readonly bytes: Uint8Array;
}

/** Returns the public key in canonical form. @throws `ERR_LEDGER_ARGUMENT` naming `signer` */
export function signerOf(given: unknown): string {
  keyOf(given);
  return String(given);
}

function keyOf(given: unknown): Key {
  const wanted = 'secp256k1:<66 hexadecimal digits> or ed25519:<64>, in lower case, a valid public key';
  const [, curve, hex = ''] = /^(secp256k1|ed25519):([0-9a-f]+)$/.exec(String(given)) ?? [];
  if ((curve !== 'secp256k1' && curve !== 'ed25519') || hex.length !== keyLengths[curve])
    throw badArgument('signer', wanted);
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
  const isValid = curve === 'ed25519' ? ed25519.utils.isValidPublicKey(bytes) : secp256k1.utils.isValidPublicKey(bytes);
  if (!isValid) throw badArgument('signer', wanted);
  return { curve, bytes };
}

/** Returns the key of a valid signature; `null` if there is none or it is not valid. @throws `ERR_LEDGER_ARGUMENT` for a malformed one */
export function verifiedSigner(signature: Signature | undefined, fields: SignedFields): string | null {
  if (signature === undefined) return null;
  const { curve, bytes } = keyOf(signature.signer);
  if (!/^[0-9a-f]{128}$/.test(String(signature.bytes))) {
    throw badArgument('signature.bytes', '128 hexadecimal digits in lower case');
  }
  const signed = Uint8Array.from(Buffer.from(signature.bytes, 'hex'));
  const text = new TextEncoder().encode(signedText(fields));
  const isRight =
    curve === 'ed25519'
      ? ed25519.verify(signed, text, bytes)
      : secp256k1.verify(signed, createHash('sha256').update(text).digest(), bytes, { prehash: false });
  return isRight ? signature.signer : null;
}
