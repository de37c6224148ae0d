// The suite as a third party's author runs it: subjects of one's own, each with an election, and the command.
import { openLeases } from 'mempool-conformance';
import { inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';

const elections = new Map();

function leasesOf(pool) {
  if (!elections.has(pool)) elections.set(pool, new Leases());
  return elections.get(pool);
}

export default {
  name: 'ephemeral',
  module: import.meta.url,
  backend: ephemeral,
  open: (pool, options) => ephemeral.open({ ...options, pool, leases: leasesOf(pool) }),
  leases: (pool, options) => openLeases(inProcessElection, { leases: leasesOf(pool) }, options),
  leaseTraits: ['hints'],
  destroy: async (pool) => void elections.delete(pool),
};
