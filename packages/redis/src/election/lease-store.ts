import {
  type CampaignReply,
  type CampaignRequest,
  type Candidate,
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
import type { ElectionConnection } from './connection.ts';
import type { Hints } from './hints.ts';
import { electionKeys, type LeaseRow, type Reply, type Verb } from './script.ts';

export interface LeaseStoreParts {
  readonly connection: ElectionConnection;
  readonly hints: Hints;
  /** What all names of the election begin with. */
  readonly base: string;
  /** Frees the connections that are ours. */
  disconnect(): void;
}

/** The lease of one election on Redis: each verb is one script, on the server's clock. */
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
    const reply = await this.#run('campaign', [...holder(candidate, token, ttlMs), floor, dataLoss, ...stale]);
    switch (reply[0]) {
      case 'won':
        return { kind: 'won', lease: readLease(reply[1]), forced: reply[2] && readLease(reply[2]) };
      case 'held':
        return { kind: 'held', lease: readLease(reply[1]), term: Number(reply[2]) };
      case 'forgotten':
        return { kind: 'forgotten', term: Number(reply[1]) };
    }
  }

  async renew(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    return readRenewal(await this.#run('renew', renewal(lease, request)));
  }

  async reinstate(lease: Lease, request: RenewRequest): Promise<RenewReply> {
    return readRenewal(await this.#run('reinstate', renewal(lease, request)));
  }

  async release({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): Promise<boolean> {
    return (await this.#run('release', [nodeId, token])) === 1;
  }

  async observe(): Promise<Observation> {
    const [lease, term] = await this.#run('observe', []);
    return { lease: lease && readLease(lease), term: Number(term) };
  }

  async heartbeat(candidate: Candidate, ttlMs: number): Promise<Member[]> {
    return readMembers(await this.#run('heartbeat', holder(candidate, '', ttlMs)));
  }

  async members(): Promise<Member[]> {
    return readMembers(await this.#run('members', []));
  }

  onHint(listener: (hint: Hint) => void): () => void {
    return this.#parts.hints.on(listener);
  }

  async close(): Promise<void> {
    this.#parts.hints.close();
    this.#parts.connection.close();
    this.#parts.disconnect();
  }

  #run<V extends Verb>(verb: V, args: readonly (string | number)[]): Promise<Reply<V>> {
    return this.#parts.connection.run(verb, this.#keys, args);
  }
}

/** What lua/election-hold.lua takes. */
function holder({ nodeId, address, priority }: Candidate, token: string, ttlMs: number): (string | number)[] {
  return [nodeId, token, ttlMs, address ?? '', priority, ttlMs + heartbeatExtraMs];
}

function renewal({ token, term, nodeId }: Lease, { candidate, ttlMs, heartbeat }: RenewRequest): (string | number)[] {
  return [...holder({ ...candidate, nodeId }, token, ttlMs), term, heartbeat];
}

function readRenewal(reply: Reply<'renew'>): RenewReply {
  switch (reply[0]) {
    case 'renewed':
      return { kind: 'renewed', lease: readLease(reply[1]) };
    case 'lost':
      return { kind: 'lost', lease: reply[1] && readLease(reply[1]), term: Number(reply[2]) };
  }
}

function readLease([nodeId, token, term, seq, hbSeq, address, priority, left]: LeaseRow): HeldLease {
  return {
    nodeId,
    token,
    term: Number(term),
    seq: Number(seq),
    hbSeq: Number(hbSeq),
    address: address === '' ? null : address,
    priority: Number(priority),
    remainingMs: Number(left) < 0 ? null : Number(left),
  };
}

function readMembers(rows: Reply<'members'>): Member[] {
  return rows.map(([nodeId, ageMs, heartbeat]) => {
    const [, priority = '0', address = ''] = /^(\d+) (.*)$/s.exec(heartbeat ?? '') ?? [];
    return {
      nodeId,
      address: address === '' ? null : address,
      priority: Number(priority),
      ageMs: Number(ageMs),
      alive: heartbeat !== null,
    };
  });
}
