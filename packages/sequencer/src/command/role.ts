import type { Logger } from 'mempool-core';
import type { ServerConfig } from 'mempool-server';
import type { Opened } from 'mempool-server/extension';
import type { Sequencer } from '../sequencer.ts';
import type { RoleSection } from './section.ts';

/** The names of the roles. */
export const roles = ['gateway', 'dequeuer', 'finalizer', 'aggregator', 'monitor', 'relayer'] as const;

/** The work of one process of a validator. */
export type Role = (typeof roles)[number];

/** The parts that a role uses. */
export interface RoleParts {
  readonly section: RoleSection;
  /** Of this process in claims and elections: no two living processes of a validator have the same. */
  readonly name: string;
  readonly leaseMs: number;
  /** The Redis with the validator's pools. */
  readonly url: string;
  readonly sequencer: Sequencer;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A role that is ready for its work. */
export interface OpenRole extends AsyncDisposable {
  /** Its paths. */
  readonly served?: Opened | undefined;
  /** Works until the signal aborts. */
  run(): Promise<unknown>;
}

/** A configuration with the options of a role. */
export interface RoleConfig extends Pick<ServerConfig, 'server'> {
  readonly section: RoleSection;
  readonly url: string;
  readonly leaseMs: number;
  readonly name: string;
}
