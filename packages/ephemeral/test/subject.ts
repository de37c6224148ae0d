import { openLeases, type Subject } from 'mempool-conformance';
import { inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';

/** Who leads, by pool: what all its nodes in this process share. */
const elections = new Map<string, Leases>();

function leasesOf(pool: string): Leases {
  const leases = elections.get(pool) ?? new Leases();
  elections.set(pool, leases);
  return leases;
}

export const subject: Subject = {
  name: 'ephemeral',
  module: import.meta.url,
  backend: ephemeral,
  open: (pool, options) => ephemeral.open({ ...options, pool, leases: leasesOf(pool) }),
  leases: (pool, options) => openLeases(inProcessElection, { leases: leasesOf(pool) }, options),
  leaseTraits: ['hints'],
  remove: (pool) => ephemeral.remove({ pool }),
  destroy: async (pool) => void elections.delete(pool),
};
