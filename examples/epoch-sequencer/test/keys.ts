import { createHash } from 'node:crypto';
import { encodeSubmission, type SignedDigest, type Submission } from 'mempool-sequencer';

export const domain = '11'.repeat(32);

const digestOf = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const signatureOf = ({ epoch, slot, project, cid }: Omit<Submission, 'signature'>): string =>
  digestOf('slot', slot, epoch, project, cid);

export const signed = (submission: Omit<Submission, 'signature'>): Uint8Array =>
  encodeSubmission({ ...submission, signature: signatureOf(submission) });
export const verify = (submission: Submission): boolean => submission.signature === signatureOf(submission);
export const isSlot = (slot: number): boolean => slot <= 9;
export const signerOf =
  (validator: string) =>
  (digest: string): string =>
    digestOf('validator', validator, digest);
export const verifyBatch = ({ digest, validator, signature }: SignedDigest): boolean =>
  signature === signerOf(validator)(digest);
