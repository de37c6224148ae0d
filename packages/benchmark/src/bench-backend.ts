import type { Limit } from './bare.ts';
import { mapLimit } from './bare-map.ts';
import { redisLimits } from './bare-redis.ts';
import { tableLimit } from './bare-table.ts';
import { type BenchContext, subjectPaths } from './context.ts';
import type { Place } from './place.ts';
import { type BenchServer, noServer } from './redis-server.ts';
import { type BenchSubject, loadSubject } from './subject.ts';

export const backendNames = ['ephemeral', 'sqlite', 'redis'] as const;
export type BackendName = (typeof backendNames)[number];

/** A subject, where its module is, and what it is held against: flatness divides out the growth of the first limit. */
export interface BenchBackend {
  readonly name: string;
  readonly path: string;
  readonly subject: BenchSubject;
  readonly limits: readonly Limit[];
  readonly place: Place;
}

export const places: Readonly<Record<BackendName, Place>> = { ephemeral: 'heap', sqlite: 'file', redis: 'server' };

export async function backendOf(name: BackendName, context: BenchContext): Promise<BenchBackend> {
  const path = subjectPaths[name];
  return { name, path, subject: await loadSubject(path), limits: limitsOf(name, context), place: places[name] };
}

/** A backend of somebody else: held against the bare structure that promises as much. */
export async function foreignBackend(path: string, { folder }: BenchContext): Promise<BenchBackend> {
  const subject = await loadSubject(path);
  const { durable } = subject.backend.capabilities;
  const held = durable
    ? { limits: [tableLimit(folder)], place: 'file' as const }
    : { limits: [mapLimit], place: 'heap' as const };
  return { name: subject.name, path, subject, ...held };
}

function limitsOf(name: BackendName, { folder, redis }: BenchContext): Limit[] {
  switch (name) {
    case 'ephemeral':
      return [mapLimit];
    case 'sqlite':
      return [tableLimit(folder)];
    case 'redis':
      return limitsOfServer(redis);
  }
}

function limitsOfServer(server: BenchServer | null): Limit[] {
  if (server === null) throw new Error(noServer);
  return redisLimits(server.client, server.url);
}
