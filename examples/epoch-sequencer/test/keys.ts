import { createHash } from 'node:crypto';
import {
  encodeSubmission,
  type SignedDigest,
  type SlotSignature,
  type Submission,
  submissionDigest,
} from 'mempool-sequencer';

export const domain = '11'.repeat(32);

const digestOf = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

export const signed = (submission: Omit<Submission, 'signature'>): Uint8Array =>
  encodeSubmission({
    ...submission,
    signature: digestOf('slot', submission.slot, submissionDigest({ ...submission, domain })),
  });
export const verifySlot = ({ digest, slot, signature }: SlotSignature): boolean =>
  signature === digestOf('slot', slot, digest);
export const isSlot = (slot: number): boolean => slot <= 9;
export const signerOf =
  (validator: string) =>
  (digest: string): string =>
    digestOf('validator', validator, digest);
export const verifyBatch = ({ digest, validator, signature }: SignedDigest): boolean =>
  signature === signerOf(validator)(digest);
