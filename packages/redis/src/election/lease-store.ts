import {
  type CampaignReply,
  type CampaignRequest,
  type Candidate,
  ElectionError,
  type HeldLease,
  type Hint,
  heartbeatExtraMs,
  type Lease,
  type LeaseStore,
  type Member,
  type Observation,
  type RenewReply,
  type RenewRequest,
} from 'mempool-election';
import { electionKeys } from '../connection/script.ts';
import type { ElectionConnection } from './connection.ts';
import type { Hints } from './hints.ts';
import type { LeaseRow, Reply, Verb } from './script.ts';

export interface LeaseStoreParts {
  readonly connection: ElectionConnection;
  readonly hints: Hints;
  /** Prefix of all key names of the election. */
  readonly base: string;
}

/** The lease of one election on Redis. Each verb is one script, and uses the server's clock. */
export class RedisLeaseStore implements LeaseStore {
  readonly #parts: LeaseStoreParts;
  readonly #keys: readonly string[];

  constructor(parts: LeaseStoreParts) {
    this.#parts = parts;
    this.#keys = electionKeys(parts.base);
  }

  async campaign(request: CampaignRequest): Promise<CampaignReply> {
    const { candidate, token, ttlMs, floor, dataLoss, takeover } = request;
    const stale = [takeover?.token ?? '', takeover?.seq ?? '', takeover?.hbSeq ?? ''];
    return this.#run('campaign', [...holder(candidate, token, ttlMs), floor, dataLoss, ...stale], readCampaign);
  }

  async renew(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    const reply = await this.#run('renew', renewal(lease, request), readRenewal);
    this.#parts.hints.check();
    return reply;
  }

  async reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    return this.#run('reinstate', renewal(lease, request), readRenewal);
  }

  async release({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean> {
    return this.#run('release', [nodeId, token], (reply) => readNumber(reply) === 1);
  }

  async observe(): Promise<Observation> {
    const read = ([lease, term]: Reply<'observe'>) => ({ lease: readLeaseOrNone(lease), term: readNumber(term) });
    const observation = await this.#run('observe', [], read);
    this.#parts.hints.check();
    return observation;
  }

  async heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]> {
    return this.#run('heartbeat', holder(candidate, '', ttlMs), readMembers);
  }

  async members(): Promise<Member[]> {
    return this.#run('members', [], readMembers);
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#parts.hints.on(listener);
  }

  async close(): Promise<void> {
    this.#parts.hints.close();
    this.#parts.connection.close();
  }

  /** The answer may come from another kind of server. An answer that cannot be read is an error. */
  async #run<V extends Verb, T>(verb: V, args: readonly (string | number)[], read: (reply: Reply<V>) => T): Promise<T> {
    const reply = await this.#parts.connection.run(verb, this.#keys, args);
    try {
      return read(reply);
    } catch (cause) {
      throw new ElectionError('ERR_ELECTION_REFUSED', `Redis gives ${verb} an answer of another kind`, { cause });
    }
  }
}

/** The arguments of lua/election/hold.lua. */
function holder({ nodeId, address, priority }: Candidate, token: string, ttlMs: number): (string | number)[] {
  return [nodeId, token, ttlMs, address ?? '', priority, ttlMs + heartbeatExtraMs];
}

function renewal({ token, term, nodeId }: Lease, { candidate, ttlMs, heartbeat }: RenewRequest): (string | number)[] {
  return [...holder({ ...candidate, nodeId }, token, ttlMs), term, heartbeat];
}

function readCampaign(reply: Reply<'campaign'>): CampaignReply {
  switch (reply[0]) {
    case 'won':
      return { kind: 'won', lease: readLease(reply[1]), forced: readLeaseOrNone(reply[2]) };
    case 'held':
      return { kind: 'held', lease: readLease(reply[1]), term: readNumber(reply[2]) };
    case 'forgotten':
      return { kind: 'forgotten', term: readNumber(reply[1]) };
    default:
      throw notUnderstood(reply);
  }
}

function readRenewal(reply: Reply<'renew'>): RenewReply {
  switch (reply[0]) {
    case 'renewed':
      return { kind: 'renewed', lease: readLease(reply[1]) };
    case 'lost':
      return { kind: 'lost', lease: readLeaseOrNone(reply[1]), term: readNumber(reply[2]) };
    default:
      throw notUnderstood(reply);
  }
}

function readLeaseOrNone(row: LeaseRow | null): HeldLease | null {
  return row === null ? null : readLease(row);
}

function readLease([nodeId, token, term, seq, hbSeq, address, priority, left]: LeaseRow): HeldLease {
  const remainingMs = readNumber(left);
  return {
    nodeId: readText(nodeId),
    token: readText(token),
    term: readNumber(term),
    seq: readNumber(seq),
    hbSeq: readNumber(hbSeq),
    address: readText(address) === '' ? null : address,
    priority: readNumber(priority),
    remainingMs: remainingMs < 0 ? null : remainingMs,
  };
}

function readMembers(rows: Reply<'members'>): Member[] {
  return rows.map(([nodeId, ageMs, heartbeat]) => {
    const [, priority = '0', address = ''] = /^(\d+) (.*)$/s.exec(heartbeat === null ? '' : readText(heartbeat)) ?? [];
    return {
      nodeId: readText(nodeId),
      address: address === '' ? null : address,
      priority: readNumber(priority),
      ageMs: readNumber(ageMs),
      alive: heartbeat !== null,
    };
  });
}

function readText(field: string): string {
  if (typeof field !== 'string') throw notUnderstood(field);
  return field;
}

/** Many numbers come as text. A deleted one is 0. */
function readNumber(field: string | number): number {
  const number = typeof field === 'string' ? Number(field) : field;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw notUnderstood(field);
  return number;
}

function notUnderstood(answer: unknown): TypeError {
  return new TypeError(`not understood: ${JSON.stringify(answer)?.slice(0, 100)}`);
}
