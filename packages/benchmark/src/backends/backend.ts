import type { Limit } from '../limits/limit.ts';
import { mapLimit } from '../limits/map.ts';
import { mapRanking } from '../limits/ranked-map.ts';
import { redisRankings } from '../limits/ranked-redis.ts';
import { tableRanking } from '../limits/ranked-table.ts';
import type { RankingLimit } from '../limits/ranking.ts';
import { redisLimits } from '../limits/redis.ts';
import { tableLimit } from '../limits/table.ts';
import { type BenchContext, subjectPaths } from '../runner/context.ts';
import type { Place } from './place.ts';
import { type BenchServer, noServer } from './redis-server.ts';
import { type BenchSubject, loadSubject } from './subject.ts';

export const backendNames = ['ephemeral', 'sqlite', 'redis'] as const;
export type BackendName = (typeof backendNames)[number];

/** The bare structures below a backend: flatness divides out the growth of the first. */
interface Limits {
  readonly limits: readonly Limit[];
  /** Those that keep an order: for evictions. */
  readonly rankings: readonly RankingLimit[];
}

/** A subject, where its module is, and what it is held against. */
export interface BenchBackend extends Limits {
  readonly name: string;
  readonly path: string;
  readonly subject: BenchSubject;
  readonly place: Place;
  /** A folder with the write-ahead logs of subject and limits, opened by one and the same SQLite library. */
  readonly logs?: string;
}

export const places: Readonly<Record<BackendName, Place>> = { ephemeral: 'heap', sqlite: 'file', redis: 'server' };

const limitsInMemory: Limits = { limits: [mapLimit], rankings: [mapRanking] };

export async function backendOf(name: BackendName, context: BenchContext): Promise<BenchBackend> {
  const path = subjectPaths[name];
  const logs = places[name] === 'file' ? { logs: context.folder } : {};
  return { name, path, subject: await loadSubject(path), ...limitsOf(name, context), place: places[name], ...logs };
}

/** A backend of somebody else: held against the bare structure that promises as much. */
export async function foreignBackend(path: string, { folder }: BenchContext): Promise<BenchBackend> {
  const subject = await loadSubject(path);
  const { durable } = subject.backend.capabilities;
  const held = durable
    ? { ...limitsInFile(folder), place: 'file' as const }
    : { ...limitsInMemory, place: 'heap' as const };
  return { name: subject.name, path, subject, ...held };
}

function limitsOf(name: BackendName, { folder, redis }: BenchContext): Limits {
  switch (name) {
    case 'ephemeral':
      return limitsInMemory;
    case 'sqlite':
      return limitsInFile(folder);
    case 'redis':
      return limitsOfServer(redis);
  }
}

function limitsInFile(folder: string): Limits {
  return { limits: [tableLimit(folder)], rankings: [tableRanking(folder)] };
}

function limitsOfServer(server: BenchServer | null): Limits {
  if (server === null) throw new Error(noServer);
  const { client, url } = server;
  return { limits: redisLimits(client, url), rankings: redisRankings(client) };
}
