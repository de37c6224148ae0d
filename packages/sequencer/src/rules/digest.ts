import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Batch, Endorsement, Leaf, MessageHead } from '../contract/batch.ts';
import type { Submission } from '../contract/submission.ts';
import { byText } from './order.ts';

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);
const batchPrefix = Uint8Array.of(2);
const itemPrefix = Uint8Array.of(3);
const agreementPrefix = Uint8Array.of(4);

const ofText = (text: string): Uint8Array => keccak_256(utf8ToBytes(text));

/** Keccak-256 of a string's UTF-8 bytes, as hex. */
export function textDigest(text: string): string {
  return bytesToHex(ofText(text));
}

/**
 * The Merkle root of the leaves, sorted by project, as hex. A leaf is `keccak256(0x00 ‖ keccak256(project) ‖ keccak256(cid))`,
 * a node `keccak256(0x01 ‖ left ‖ right)`; the last of an odd number goes up unchanged. The root of none is 32 zero bytes.
 */
export function merkleRoot(leaves: readonly Leaf[]): string {
  const sorted = leaves.toSorted((a, b) => byText(a.project, b.project));
  let level: Uint8Array[] = sorted.map(({ project, cid }) =>
    keccak_256(concatBytes(leafPrefix, ofText(project), ofText(cid))),
  );
  while (level.length > 1) level = levelAbove(level);
  return bytesToHex(level[0] ?? new Uint8Array(32));
}

function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const [left, right] = level.slice(i, i + 2);
    if (left !== undefined) above.push(right === undefined ? left : keccak_256(concatBytes(nodePrefix, left, right)));
  }
  return above;
}

/** Stands for a set of validators: `keccak256` of their names, sorted, each followed by a line feed. */
export function validatorsDigest(validators: readonly string[]): string {
  return textDigest(
    validators
      .toSorted(byText)
      .map((name) => `${name}\n`)
      .join(''),
  );
}

/** The domain, which binds signatures to one chain, contract and market: 32 bytes. @throws `RangeError` if it is not their hex */
export function domainBytes(domain: string): Uint8Array {
  if (!/^(0x)?[0-9a-f]{64}$/i.test(domain)) throw new RangeError('domain must be the hex of 32 bytes');
  return hexToBytes(domain.slice(-64));
}

/** A digest's `domain`: hex of 32 bytes, with or without `0x`. */
interface InDomain {
  readonly domain: string;
}

const submissionType = ofText('Submission(uint64 epoch,uint64 slot,string project,string cid)');
const typedPrefix = Uint8Array.of(0x19, 1);

/**
 * The digest that a slot signs, as hex. It is that of EIP-712 for `Submission(uint64 epoch,uint64 slot,string project,string cid)`
 * under the domain separator `domain`, so that wallets can sign it. It is also the hash of the submission in its pool.
 */
export function submissionDigest({
  domain,
  epoch,
  slot,
  project,
  cid,
}: InDomain & Omit<Submission, 'signature'>): string {
  const words = [submissionType, word(epoch), word(slot), ofText(project), ofText(cid)];
  return bytesToHex(keccak_256(concatBytes(typedPrefix, domainBytes(domain), keccak_256(concatBytes(...words)))));
}

/**
 * The hash of a validator's message in its pool: SHA-256 of the digest that is signed and of the validator, because several validators
 * sign the same. The same statement in other bytes has the same hash.
 */
export function messageHash(digest: string, validator: string): string {
  return createHash('sha256').update(`${digest} ${validator}`).digest('hex');
}

/**
 * The digest that a validator signs for its batch: `keccak256(0x02 ‖ domain ‖ epoch as 8 bytes, big-endian ‖ digest of the validators ‖ root ‖
 * keccak256(cid))`, as hex.
 */
export function batchDigest(
  { domain, epoch, root, cid }: InDomain & Pick<Batch, 'epoch' | 'root' | 'cid'>,
  validators: readonly string[],
): string {
  const set = hexToBytes(validatorsDigest(validators));
  const fields = [domainBytes(domain), uint64(epoch), set, hexToBytes(root), ofText(cid)];
  return bytesToHex(keccak_256(concatBytes(batchPrefix, ...fields)));
}

/**
 * The digest that a validator signs for the agreed result: `keccak256(0x04 ‖ domain ‖ epoch as 8 bytes, big-endian ‖ root)`, as hex. In
 * Solidity: `keccak256(abi.encodePacked(uint8(4), domain, uint64(epoch), root))`.
 */
export function agreementDigest({ domain, epoch, root }: InDomain & Pick<Endorsement, 'epoch' | 'root'>): string {
  return bytesToHex(keccak_256(concatBytes(agreementPrefix, domainBytes(domain), uint64(epoch), hexToBytes(root))));
}

/** The digest that the signature of a validator's message is of. */
export function signedDigest(head: MessageHead, domain: string, validators: readonly string[]): string {
  return 'cid' in head ? batchDigest({ ...head, domain }, validators) : agreementDigest({ ...head, domain });
}

/** The hash of a work item: `keccak256(0x03 ‖ epoch ‖ part ‖ keccak256(projects, each with a line feed))`, as hex. */
export function itemDigest(epoch: number, part: number, projects: readonly string[]): string {
  const names = ofText(projects.map((name) => `${name}\n`).join(''));
  return bytesToHex(keccak_256(concatBytes(itemPrefix, uint64(epoch), uint64(part), names)));
}

/** A whole number as 32 bytes, big-endian. */
function word(value: number): Uint8Array {
  return concatBytes(new Uint8Array(24), uint64(value));
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}
