import { type ElectionClock, systemClock } from '../contract/clock.ts';
import { badOption, ElectionError } from '../contract/errors.ts';
import type { Lease } from '../contract/lease.ts';
import type { LeaseStore } from '../contract/lease-store.ts';
import type { ElectionProvider } from '../contract/provider.ts';
import { LeaseRecord } from './lease-record.ts';

/** The leases of elections inside one process. Pass them to `ephemeral.open` to fence the pool with them. */
export class Leases {
  readonly #clock: ElectionClock;
  readonly #records = new Map<string, LeaseRecord>();

  constructor({ clock = systemClock }: { readonly clock?: ElectionClock | undefined } = {}) {
    this.#clock = clock;
  }

  /** Returns the live lease of the election; `null` if no node holds it. */
  held(election: string): Lease | null {
    const lease = this.#record(election).observe().lease;
    return lease && { nodeId: lease.nodeId, token: lease.token, term: lease.term };
  }

  /** Restarts the live lease's time, as a renewal by its holder does, but does not raise its `seq`. */
  extend(election: string): void {
    this.#record(election).extend();
  }

  /** Removes the lease of any node, as an operator does to force a fail-over. The term stays. */
  remove(election: string): void {
    this.#record(election).remove();
  }

  /** Opens a store for one node of the election. */
  open(election: string): LeaseStore {
    return storeOf(this.#record(election));
  }

  #record(election: string): LeaseRecord {
    const known = this.#records.get(election);
    if (known !== undefined) return known;
    const record = new LeaseRecord(this.#clock);
    this.#records.set(election, record);
    return record;
  }
}

/** The provider of elections inside one process. All nodes share one `Leases`. */
export const inProcessElection: ElectionProvider<{ readonly leases: Leases }> = {
  type: 'in-process',
  options: { leases: true },
  async open({ name, leases }) {
    if (!(leases instanceof Leases)) throw badOption('leases', 'an instance of Leases');
    return leases.open(name);
  },
};

function storeOf(record: LeaseRecord): LeaseStore {
  const endings = new Set<() => void>();
  let closed = false;
  const open = () => {
    if (closed) throw new ElectionError('ERR_ELECTION_UNAVAILABLE', 'the lease store is closed');
    return record;
  };
  return {
    campaign: async (request) => open().campaign(request),
    renew: async (lease, request) => open().renew(lease, request),
    reinstate: async (lease, request) => open().reinstate(lease, request),
    release: async (holder) => open().release(holder),
    observe: async () => open().observe(),
    heartbeat: async (candidate, ttlMs) => open().heartbeat(candidate, ttlMs),
    members: async () => open().members(),
    onHint(listener) {
      const end = open().onHint(listener);
      endings.add(end);
      return end;
    },
    async close() {
      closed = true;
      for (const end of endings) end();
    },
  };
}
