import type { BenchContext, Place } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import { type BenchSubject, loadSubject, subjectPath } from '../setup/subject.ts';
import type { Bare, BareRanking, Limit } from './limit.ts';
import { mapLimit, mapRanking } from './memory.ts';
import { redisLimits, redisRankings } from './redis.ts';
import { tableLimit, tableRanking } from './table.ts';

export const backendNames = ['ephemeral', 'sqlite', 'redis'] as const;
export type BackendName = (typeof backendNames)[number];

export const places: Readonly<Record<BackendName, Place>> = { ephemeral: 'heap', sqlite: 'file', redis: 'server' };

/** A subject, the path of its module, and the bare structures that it is compared with. */
export interface BenchBackend {
  readonly name: string;
  readonly path: string;
  readonly subject: BenchSubject;
  readonly place: Place;
  /** Flatness divides out the growth of the first. */
  readonly limits: readonly [Limit<Bare>, ...Limit<Bare>[]];
  /** Those that keep an order: for evictions. */
  readonly rankings: readonly Limit<BareRanking>[];
  /** A folder with the write-ahead logs of subject and limits, opened by one and the same SQLite library. */
  readonly logs?: string;
}

export async function backendOf(name: BackendName, context: BenchContext): Promise<BenchBackend> {
  const place = places[name];
  const path = subjectPath(name);
  const logs = place === 'file' ? { logs: context.folder } : {};
  return { name, path, subject: await loadSubject(path), place, ...limitsOf(place, context), ...logs };
}

/** A third-party backend: compared with the bare structure that makes the same promises. */
export async function foreignBackend(path: string, context: BenchContext): Promise<BenchBackend> {
  const subject = await loadSubject(path);
  const place = subject.backend.capabilities.durable ? 'file' : 'heap';
  return { name: subject.name, path, subject, place, ...limitsOf(place, context) };
}

function limitsOf(place: Place, { folder, redis }: BenchContext): Pick<BenchBackend, 'limits' | 'rankings'> {
  switch (place) {
    case 'heap':
      return { limits: [mapLimit], rankings: [mapRanking] };
    case 'file':
      return { limits: [tableLimit(folder)], rankings: [tableRanking(folder)] };
    case 'server':
      if (redis === null) throw new Error(noServer);
      return { limits: redisLimits(redis.client, redis.url), rankings: redisRankings(redis.client) };
  }
}
