import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Submission } from 'mempool-sequencer';
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
const submissionType = keccak('Submission(uint64 epoch,uint64 slot,string project,string cid)');

/** The domain separator of EIP-712, as hex of 32 bytes. The contract computes the same. */
export function domainOf({ chainId, contract, name }: SubmissionDomain): string {
  const address = Buffer.alloc(32);
  address.write(contract.replace(/^0x/, ''), 12, 'hex');
  const words = [domainType, keccak(name), word(chainId), address];
  return Buffer.from(keccak_256(Buffer.concat(words))).toString('hex');
}

/** What a slot signs (EIP-712): `keccak256(0x1901 ‖ domain ‖ hash of epoch, slot, project and cid)`. */
function submissionDigest(
  { epoch, slot, project, cid }: Omit<Submission, 'signature'>,
  prefix: Uint8Array,
): Uint8Array {
  const words = [submissionType, word(epoch), word(slot), keccak(project), keccak(cid)];
  return keccak_256(Buffer.concat([prefix, keccak_256(Buffer.concat(words))]));
}

/** @param domain of `domainOf` */
export function signSubmission(
  submission: Omit<Submission, 'signature'>,
  { domain, privateKey }: { readonly domain: string; readonly privateKey: string },
): string {
  const digest = submissionDigest(submission, prefixOf(domain));
  return signerOf(privateKey).sign(Buffer.from(digest).toString('hex'));
}

/** What `createVerifier` is given. */
export interface VerifierOptions {
  /** Of `domainOf`. */
  readonly domain: string;
  /** The address of each slot, in lower case. */
  readonly slotAddresses: ReadonlyMap<number, string>;
}

/** The check of signatures that a sequencer is given as `verify`: true if the submission's slot signed all its fields for this domain. */
export function createVerifier({ domain, slotAddresses }: VerifierOptions): (submission: Submission) => boolean {
  const prefix = prefixOf(domain);
  return (submission) => {
    const address = slotAddresses.get(submission.slot);
    return address !== undefined && recovered(submissionDigest(submission, prefix), submission.signature) === address;
  };
}

function prefixOf(domain: string): Uint8Array {
  return Buffer.from(`1901${domain}`, 'hex');
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64BE(BigInt(value), 24);
  return bytes;
}
