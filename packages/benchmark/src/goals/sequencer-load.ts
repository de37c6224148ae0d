import { createHash, randomUUID } from 'node:crypto';
import { Mempool } from 'mempool-core';
import type { Lease } from 'mempool-election';
import {
  encodeSubmission,
  openSequencer,
  partsOf,
  poolNames,
  type Sequencer,
  type SequencerOptions,
  type SlotSignature,
  type Submission,
  submissionDigest,
} from 'mempool-sequencer';
import secp256k1 from 'secp256k1';
import type { BenchSubject } from '../setup/subject.ts';

const market = 'market';
/** Four validators: one is measured, and the others are played. */
export const validators: readonly string[] = ['v1', 'v2', 'v3', 'v4'];
export const domain: string = '0d'.repeat(32);

/** A clock that stands still, so that windows close when the benchmark says so. */
class StillClock {
  ms: number = Date.now();
  readonly now = (): number => this.ms;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The signatures of validators are not measured: a digest stands for them. */
export const validatorSignature = (validator: string, digest: string): string =>
  sha256(`${validator} ${digest}`).toString('hex');

export interface BenchValidator {
  readonly sequencer: Sequencer;
  readonly lease: Lease;
  readonly protocol: string;
  readonly clock: StillClock;
}

/** Hands over a new validator that holds the lease of its election. */
export async function withValidator<T>(
  subject: BenchSubject,
  options: Partial<SequencerOptions>,
  work: (validator: BenchValidator) => Promise<T>,
): Promise<T> {
  const [protocol, clock] = [randomUUID(), new StillClock()];
  const sequencer = await openParts(subject, protocol, { now: clock.now, ...options });
  const leases = await subject.leases?.(poolNames(protocol, market).control, { ttlMs: 3_600_000 });
  if (leases === undefined) throw new Error(`${subject.name} has no elections`);
  const candidate = { nodeId: 'bench', address: null, priority: 0 };
  const request = { candidate, token: randomUUID(), ttlMs: 3_600_000, floor: 0 } as const;
  const reply = await leases.campaign({ ...request, dataLoss: 'accept', takeover: null });
  if (reply.kind !== 'won') throw new Error('the election was not won');
  const result = await work({ sequencer, lease: reply.lease, protocol, clock });
  await leases.close();
  await sequencer.close();
  return result;
}

/** The parts of a validator without its election. */
export function openParts(
  subject: BenchSubject,
  protocol: string,
  options: Partial<SequencerOptions> = {},
): Promise<Sequencer> {
  return openSequencer({
    protocol,
    market,
    validator: 'v1',
    domain,
    openPool: async (name, limits) => new Mempool(await subject.open(name, limits)),
    removePool: async (name) => void (await subject.remove?.(name)),
    isSlot: () => true,
    verifySlot: () => true,
    publish: ({ root }) => `cid-${root.slice(0, 16)}`,
    sign: (digest) => validatorSignature('v1', digest),
    verifyBatch: ({ validator, digest, signature }) => signature === validatorSignature(validator, digest),
    gossip: () => undefined,
    peerRate: Number.POSITIVE_INFINITY,
    maxPerSlot: Number.POSITIVE_INFINITY,
    idleMs: 5,
    ...options,
  });
}

/** So many submissions of an epoch, spread over so many projects, with one vote of each slot. */
export function submissionsOf(epoch: number, count: number, projects: number): Omit<Submission, 'signature'>[] {
  return Array.from({ length: count }, (_, i) => ({
    epoch,
    slot: Math.floor(i / projects),
    project: `project-${i % projects}`,
    cid: `bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi-${i % projects}`,
  }));
}

/** Signatures are 65 bytes, as long as those of `signedBy`. */
export function unsignedMessages(submissions: readonly Omit<Submission, 'signature'>[]): Uint8Array[] {
  return submissions.map((each) => encodeSubmission({ ...each, signature: `0x${'ab'.repeat(65)}` }));
}

const keyOf = (slot: number): Uint8Array => sha256(`slot ${slot}`);

/** Signs as the slot, with secp256k1. */
export function signedBySlot(submission: Omit<Submission, 'signature'>): Submission {
  const digest = Buffer.from(submissionDigest({ ...submission, domain }), 'hex');
  const { signature, recid } = secp256k1.ecdsaSign(digest, keyOf(submission.slot));
  return { ...submission, signature: `${Buffer.from(signature).toString('hex')}0${recid}` };
}

const publicKeys = new Map<number, Buffer>();

/** Recovers who signed, as a contract would, and compares it with the slot's key. */
export function isSignedBySlot({
  digest,
  slot,
  signature,
}: Pick<SlotSignature, 'digest' | 'slot' | 'signature'>): boolean {
  const known = publicKeys.get(slot) ?? Buffer.from(secp256k1.publicKeyCreate(keyOf(slot), false));
  publicKeys.set(slot, known);
  const bytes = Buffer.from(signature, 'hex');
  const hash = Buffer.from(digest, 'hex');
  const recovered = secp256k1.ecdsaRecover(bytes.subarray(0, 64), Number(bytes[64]), hash, false);
  return known.equals(recovered);
}

/** Hands messages to a gateway, so many at a time. @throws Error where one is not received */
export async function acceptAll({ gateway }: Sequencer, messages: readonly Uint8Array[]): Promise<void> {
  for (const some of partsOf(messages, 500)) {
    const answers = await Promise.all(some.map((each) => gateway.accept(each, { peer: 'bench' })));
    const refused = answers.find(({ kind }) => kind !== 'received');
    if (refused !== undefined) throw new Error(`a submission was refused: ${refused.kind}`);
  }
}
