import { ElectionError } from '../contract/errors.ts';
import type { HeldLease } from '../contract/lease.ts';

type Fields = Readonly<Record<string, unknown>>;

export type StoreVerb = 'campaign' | 'renew' | 'reinstate' | 'release' | 'observe' | 'heartbeat' | 'members';

/** What each verb of a store may answer; anything else would end the election in the midst of a step. */
const shapes: Readonly<Record<StoreVerb, (reply: Fields) => boolean>> = {
  campaign: ({ kind, lease, term }: Fields): boolean =>
    kind === 'won' || kind === 'held' ? isLease(lease) : kind === 'forgotten' && isWhole(term),
  renew: isRenewal,
  reinstate: isRenewal,
  release: () => true,
  observe: isObservation,
  heartbeat: isList,
  members: isList,
};

/** @throws `ERR_ELECTION_UNAVAILABLE` where the answer is none that the verb may give */
export function assertAnswer(verb: StoreVerb, answer: unknown): void {
  if (verb === 'release' || (isTable(answer) && shapes[verb](answer))) return;
  throw new ElectionError('ERR_ELECTION_UNAVAILABLE', `the store's answer to ${verb} has a wrong shape`);
}

function isRenewal(reply: Fields): boolean {
  return reply.kind === 'renewed' ? isLease(reply.lease) : reply.kind === 'lost' && isObservation(reply);
}

function isList(members: Fields): boolean {
  return Array.isArray(members);
}

function isObservation({ lease, term }: Fields): boolean {
  return isWhole(term) && (lease === null || isLease(lease));
}

function isLease(value: unknown): value is HeldLease {
  if (!isTable(value)) return false;
  const { nodeId, token, term, seq, hbSeq } = value;
  return typeof nodeId === 'string' && typeof token === 'string' && [term, seq, hbSeq].every(isWhole);
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isTable(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
