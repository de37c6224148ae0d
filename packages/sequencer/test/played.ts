import { expect } from 'vitest';
import {
  type Accepted,
  agreementDigest,
  type Batch,
  batchDigest,
  type Endorsement,
  encodeBatch,
  encodeEndorsement,
  type Leaf,
  merkleRoot,
  type Sequencer,
} from '../src/index.ts';
import { names } from './cast.ts';
import { domain, optionsOf, signed } from './validator.ts';

/** Leaves from `project: content id` pairs. */
export function leavesOf(content: Readonly<Record<string, string>>): Leaf[] {
  return Object.entries(content).map(([project, cid]) => ({ project, cid }));
}

/** A batch as that validator would send it. */
export async function batchOf(validator: string, epoch: number, leaves: readonly Leaf[], all = names) {
  const unsigned = { epoch, validator, root: merkleRoot(leaves), cid: 'published', leaves };
  return { ...unsigned, signature: await optionsOf(validator).sign(batchDigest({ ...unsigned, domain }, all)) };
}

/** An endorsement as that validator would send it. */
export async function endorsementOf(validator: string, epoch: number, root: string) {
  const signature = await optionsOf(validator).sign(agreementDigest({ domain, epoch, root }));
  return { epoch, validator, root, signature };
}

/** Sends the message of another validator. Returns the answer. */
export function offer({ gateway }: Pick<Sequencer, 'gateway'>, message: Batch | Endorsement): Promise<Accepted> {
  const bytes = 'leaves' in message ? encodeBatch(message) : encodeEndorsement(message);
  return gateway.acceptBatch(bytes, { peer: message.validator });
}

/** Sends messages of other validators, which are received. */
export async function send({ gateway }: Sequencer, ...messages: readonly (Batch | Endorsement)[]): Promise<void> {
  for (const each of messages) expect(await offer({ gateway }, each)).toMatchObject({ kind: 'received' });
}

/** Submits one vote for each project. */
export async function submit(
  { gateway }: Sequencer,
  epoch: number,
  content: Readonly<Record<string, string>>,
): Promise<Leaf[]> {
  const leaves = leavesOf(content);
  for (const leaf of leaves)
    expect(await gateway.accept(signed({ epoch, slot: 1, ...leaf }), { peer: 'p' })).toMatchObject({
      kind: 'received',
    });
  return leaves;
}

/** The reasons of the messages that were dropped. */
export async function refusals({ namespace }: Sequencer): Promise<string[]> {
  const reasons: string[] = [];
  for await (const { reason } of namespace.incoming.finalized())
    reasons.push(typeof reason === 'object' && reason !== null ? reason.app : String(reason));
  return reasons;
}
