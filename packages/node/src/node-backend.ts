import { type Backend, type ConfigFields, MempoolError } from 'mempool-core';
import { redisPart } from 'mempool-core/backend';
import { createElection, type Election, type ElectionOptions, inProcessElection, Leases } from 'mempool-election';
import type { RedisOptions } from 'mempool-redis';

/** The parts of a backend that a node needs. */
export interface NodeBackend {
  readonly backend: Backend;
  /** The configuration to open the pool with. */
  readonly config: ConfigFields;
  /** Creates the election whose lease guards the pool. Opens nothing. */
  elect(options: ElectionOptions): Election;
}

/** Loads only the package of the backend that is asked for. */
const backends: Readonly<Record<string, (config: ConfigFields) => Promise<NodeBackend>>> = {
  async ephemeral(config) {
    const { ephemeral } = await import('mempool-ephemeral');
    const given = config.options?.leases;
    const leases = given instanceof Leases ? given : new Leases();
    return {
      backend: ephemeral,
      config: { ...config, options: { ...config.options, leases } },
      elect: (options) => createElection(inProcessElection, { ...options, leases }),
    };
  },

  async sqlite(config) {
    const { sqlite, sqliteElection } = await import('mempool-sqlite');
    const path = config.path as string;
    return { backend: sqlite, config, elect: (options) => createElection(sqliteElection, { ...options, path }) };
  },

  async redis(config) {
    const { redis, redisElection } = await import('mempool-redis');
    const { fields, options: further } = redisPart(config);
    const own = { ...fields, ...(further as RedisOptions), pool: config.pool };
    return { backend: redis, config, elect: (options) => createElection(redisElection, { ...options, ...own }) };
  },
};

/** Returns the parts of the configuration's backend. @throws `ERR_MEMPOOL_CONFIG` if it is not a backend of this project */
export async function nodeBackend(config: ConfigFields): Promise<NodeBackend> {
  const open = Object.hasOwn(backends, config.backend) ? backends[config.backend] : undefined;
  if (open !== undefined) return open(config);
  const names = Object.keys(backends).join(', ');
  const name = config.backend.slice(0, 100);
  throw misconfigured(`is ${name}, not one of ${names}: for another backend use openMempool of mempool-core`);
}

function misconfigured(problem: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CONFIG', `backend ${problem}`, { field: 'backend' });
}
