import { randomUUID } from 'node:crypto';
import type { OpenPool, Subject } from 'mempool-conformance';

const subjects: Readonly<Record<string, () => Promise<{ readonly subject: Subject }>>> = {
  ephemeral: () => import('../../packages/ephemeral/test/subject.ts'),
  sqlite: () => import('../../packages/sqlite/test/shared-subject.ts'),
  redis: () => import('../../packages/redis/test/subject.ts'),
};

/** Opens pools of a backend by their numbers; what is left of them goes with it. */
export interface PoolSource extends AsyncDisposable {
  readonly open: OpenPool;
}

/** @throws Error if there is no such backend */
export async function poolsOf(backend: string): Promise<PoolSource> {
  const load = subjects[backend];
  if (load === undefined) throw new Error(`there is no backend ${backend}: ${Object.keys(subjects).join(', ')}`);
  const { subject } = await load();
  const names = new Map<number, string>();
  const nameOf = (pool: number): string => {
    const name = names.get(pool) ?? randomUUID();
    names.set(pool, name);
    return name;
  };
  return {
    // As in the suite, nobody sweeps but the caller.
    open: (options, pool) => subject.open(nameOf(pool), { sweepEveryMs: Number.POSITIVE_INFINITY, ...options }),
    async [Symbol.asyncDispose]() {
      for (const name of names.values()) await subject.destroy?.(name);
    },
  };
}
