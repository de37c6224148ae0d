import { type ElectionProvider, type LeaseStore, systemClock } from 'mempool-election';
import type { LeasesOptions } from './case.ts';

const defaultTtlMs = 10_000;
/** Longer than a busy machine takes, shorter than a case may. */
const commandTimeoutMs = 5_000;

/** For a subject's `leases`: the provider's leases of the election `watcher`, by the system's clock, without a log. */
export function openLeases<Own extends object>(
  provider: ElectionProvider<Own>,
  own: Own,
  { ttlMs = defaultTtlMs }: LeasesOptions = {},
): Promise<LeaseStore> {
  const log = (): void => undefined;
  return provider.open({ ...own, name: 'watcher', ttlMs, commandTimeoutMs, clock: systemClock, log });
}
