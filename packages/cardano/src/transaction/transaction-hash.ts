import { hexDigest } from '../bytes/digest.ts';
import { readEnvelope } from './envelope.ts';
import { readOrRefuse } from './transaction-error.ts';

/**
 * The hash of a transaction, which is its id on the chain: BLAKE2b-256 of its body's bytes as they stand, in lower-case hex. Takes
 * transactions of every era from Byron to Conway, as they are submitted. It checks that the bytes have the parts of a transaction and
 * that the body has inputs, outputs and a fee. It does not check that the chain would accept the transaction.
 * @throws TransactionError if the bytes are not exactly one transaction.
 */
export function transactionHash(cbor: Uint8Array): string {
  return hexDigest(readOrRefuse(() => readEnvelope(cbor)).body.bytes);
}
