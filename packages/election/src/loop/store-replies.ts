import { ElectionError } from '../contract/errors.ts';
import type { HeldLease } from '../contract/lease.ts';

type Fields = Readonly<Record<string, unknown>>;

export type StoreVerb = 'campaign' | 'renew' | 'reinstate' | 'release' | 'observe' | 'heartbeat' | 'members';

/** The reply that each verb of a store may give. Any other reply would end the election loop in the middle of a step. */
const isReply: Readonly<Record<StoreVerb, (reply: Fields) => boolean>> = {
  campaign: ({ kind, lease, term }: Fields): boolean =>
    kind === 'won' || kind === 'held' ? isLease(lease) : kind === 'forgotten' && isInteger(term),
  renew: isRenewal,
  reinstate: isRenewal,
  release: () => true,
  observe: isObservation,
  heartbeat: Array.isArray,
  members: Array.isArray,
};

/** Checks the reply of a store's verb. @throws `ERR_ELECTION_UNAVAILABLE` if the verb may not give this reply */
export function assertReply(verb: StoreVerb, reply: unknown): void {
  if (verb === 'release' || (isObject(reply) && isReply[verb](reply))) return;
  throw new ElectionError('ERR_ELECTION_UNAVAILABLE', `the store's reply to ${verb} has a wrong shape`);
}

function isRenewal(reply: Fields): boolean {
  return reply.kind === 'renewed' ? isLease(reply.lease) : reply.kind === 'lost' && isObservation(reply);
}

function isObservation({ lease, term }: Fields): boolean {
  return isInteger(term) && (lease === null || isLease(lease));
}

function isLease(value: unknown): value is HeldLease {
  if (!isObject(value)) return false;
  const { nodeId, token, term, seq, hbSeq } = value;
  return typeof nodeId === 'string' && typeof token === 'string' && [term, seq, hbSeq].every(isInteger);
}

function isInteger(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
