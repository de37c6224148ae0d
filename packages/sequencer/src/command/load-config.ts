import { hostname } from 'node:os';
import { misconfigured } from 'mempool-core/backend';
import { loadServerConfig } from 'mempool-server';
import type { RoleConfig } from './role.ts';
import { type RoleSection, roleExtension } from './section.ts';

/** Options of a command line. They replace fields of the file. */
export interface CommandOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly name?: string | undefined;
}

/** A larger request is no submission. */
const maxBodyBytes = 65_536;
const standardLeaseMs = 10_000;

/**
 * Reads the configuration of a validator: the sections `mempool`, `server`, `election` and `sequencer`.
 * @throws `ERR_MEMPOOL_CONFIG` naming the file and the field
 */
export async function loadRoleConfig(file: string, options: CommandOptions): Promise<RoleConfig> {
  const { host, port, name } = options;
  const { mempool, server, election, extensions } = await loadServerConfig(file, {
    env: process.env,
    server: { dashboard: false, maxBodyBytes, host, port } as object,
    extensions: { [roleExtension.section]: roleExtension },
  });
  // The schema of the section made them.
  const section = extensions[roleExtension.section]?.options as RoleSection | undefined;
  if (section === undefined) throw misconfigured('sequencer', 'is missing: it has the fields of a validator');
  return {
    section,
    server,
    url: String(mempool.url),
    leaseMs: election.ttlMs ?? standardLeaseMs,
    name: name ?? election.nodeId ?? `${hostname().slice(0, 100)}:${process.pid}`,
  };
}
