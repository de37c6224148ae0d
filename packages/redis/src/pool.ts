import { randomBytes } from 'node:crypto';
import { type DriverOptions, defaultRetention, type Retention } from 'mempool-core';
import type { Connection } from './connection.ts';
import { type Keys, scripts } from './script.ts';

const retentionFields = ['maxFinalized', 'maxEvents', 'maxRollback'] as const satisfies readonly (keyof Retention)[];

/** Stores the retention that this open names; checks format, pool name and the types of all keys before (N2). */
export async function createPool(
  connection: Connection,
  keys: Keys,
  { pool, retention }: DriverOptions,
): Promise<void> {
  const epoch = randomBytes(12).toString('base64url');
  const wanted = retentionFields.map((field) => retention[field] ?? '');
  const defaults = retentionFields.map((field) => defaultRetention[field]);
  for (const set of [keys.own, keys.named])
    await connection.run(scripts.open, set, [pool, epoch, ...wanted, ...defaults], undefined);
}
