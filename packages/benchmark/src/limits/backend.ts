import type { BenchContext, Place } from '../setup/context.ts';
import { noServer } from '../setup/redis-server.ts';
import { type BenchSubject, loadSubject, subjectPath } from '../setup/subject.ts';
import type { Limit } from './limit.ts';
import { mapLimit } from './memory.ts';
import { redisLimit } from './redis.ts';
import { tableLimit } from './table.ts';

export const backendNames = ['ephemeral', 'sqlite', 'redis'] as const;
export type BackendName = (typeof backendNames)[number];

export const places: Readonly<Record<BackendName, Place>> = { ephemeral: 'heap', sqlite: 'file', redis: 'server' };

/** A subject, the path of its module, and the bare structure that it is compared with. */
export interface BenchBackend {
  readonly name: BackendName;
  readonly path: string;
  readonly subject: BenchSubject;
  readonly place: Place;
  readonly limit: Limit;
}

export async function backendOf(name: BackendName, context: BenchContext): Promise<BenchBackend> {
  const [place, path] = [places[name], subjectPath(name)];
  return { name, path, subject: await loadSubject(path), place, limit: limitOf(place, context) };
}

function limitOf(place: Place, { folder, redis }: BenchContext): Limit {
  switch (place) {
    case 'heap':
      return mapLimit;
    case 'file':
      return tableLimit(folder);
    case 'server':
      if (redis === null) throw new Error(noServer);
      return redisLimit(redis.client, redis.url);
  }
}
