/** A Redis backend whose fence lets everybody pass: whatever lease comes with a call, the one that is held counts. */
import type { ChainOptions } from 'mempool-core';
import { type LeaseStore, systemClock } from 'mempool-election';
import { redis as fenced, redisElection } from 'mempool-redis';
import { asTested, type TestedPool } from '../../../../conformance/src/case/tested-pool.ts';

export { redisElection };

type Options = NonNullable<Parameters<typeof fenced.open>[0]>;

export const redis: typeof fenced = { ...fenced, open: open as typeof fenced.open };

async function open(options: Options): Promise<TestedPool> {
  const { url, pool: keyPrefix } = options;
  const store = await fenced.open({ ...options, fenced: false });
  const common = { name: 'watcher', ttlMs: 10_000, commandTimeoutMs: 2_000, clock: systemClock, log: () => {} };
  return without(asTested(store), await redisElection.open({ ...common, url, keyPrefix }));
}

function without(store: TestedPool, leases: LeaseStore): TestedPool {
  const confirm: TestedPool['confirm'] = (block, policy, options) =>
    passing(leases, options, (own) => store.confirm(block, policy, own));
  const rollback: TestedPool['rollback'] = (point, options) =>
    passing(leases, options, (own) => store.rollback(point, own));
  const close = async () => {
    await leases.close();
    await store.close();
  };
  const planted = { confirm, rollback, close, [Symbol.asyncDispose]: close };
  return new Proxy(store, {
    get(target, key) {
      if (Object.hasOwn(planted, key)) return Reflect.get(planted, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The lease may change hands between the look and the call. */
async function passing<Outcome extends { readonly kind: string }>(
  leases: LeaseStore,
  options: ChainOptions | undefined,
  call: (options: ChainOptions) => Promise<Outcome>,
): Promise<Outcome> {
  for (;;) {
    const { lease } = await leases.observe();
    const live = lease === null ? undefined : { nodeId: lease.nodeId, token: lease.token, term: lease.term };
    const outcome = await call({ ...options, lease: live });
    if (outcome.kind !== 'fenced') return outcome;
  }
}
