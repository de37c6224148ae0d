import { keccak_256 } from '@noble/hashes/sha3.js';
import type { SlotSignature, Submission } from '../contract/submission.ts';
import { submissionDigest } from '../rules/digest.ts';
import { recovered, signerOf } from './signer.ts';

/** Where submissions are signed for: a chain, a contract there, and its `protocol:market`. */
export interface SubmissionDomain {
  readonly chainId: number;
  /** The contract's address: `0x` and 40 hex digits. */
  readonly contract: string;
  /** `protocol:market`. */
  readonly name: string;
}

const keccak = (text: string): Uint8Array => keccak_256(Buffer.from(text));
const domainType = keccak('EIP712Domain(string name,uint256 chainId,address verifyingContract)');

/** The domain separator of EIP-712, as hex of 32 bytes. The contract computes the same. */
export function domainOf({ chainId, contract, name }: SubmissionDomain): string {
  const address = Buffer.alloc(32);
  address.write(contract.replace(/^0x/, ''), 12, 'hex');
  const words = [domainType, keccak(name), word(chainId), address];
  return Buffer.from(keccak_256(Buffer.concat(words))).toString('hex');
}

/** @param domain of `domainOf` */
export function signSubmission(
  submission: Omit<Submission, 'signature'>,
  { domain, privateKey }: { readonly domain: string; readonly privateKey: string },
): string {
  return signerOf(privateKey).sign(submissionDigest({ ...submission, domain }));
}

/**
 * The check that a sequencer is given as `verifySlot`: true if the slot has signed the digest.
 * @param slotAddresses the address of each slot, in lower case
 */
export function slotVerifier(slotAddresses: ReadonlyMap<number, string>): (signed: SlotSignature) => boolean {
  return ({ digest, slot, signature }) => {
    const address = slotAddresses.get(slot);
    return address !== undefined && recovered(Buffer.from(digest, 'hex'), signature) === address;
  };
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64BE(BigInt(value), 24);
  return bytes;
}
