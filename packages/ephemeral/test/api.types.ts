// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { Backend, Mempool, WatcherElection, WatcherPool } from 'mempool-core';
import type { LeaseSource } from 'mempool-core/backend';
import type { Election, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';

export const backend: Backend = ephemeral;

export async function open(): Promise<Mempool> {
  await ephemeral.open();
  // @ts-expect-error memory has no path
  await ephemeral.open({ path: 'mempool.sqlite' });
  return ephemeral.open({ pool: 'main', maxTxBytes: 1, finalizeThreshold: 1 });
}

/** What a watcher asks for, these have; core knows none of them. */
export function fits(election: Election, store: Mempool, pool: Mempool): [WatcherElection, ...WatcherPool[]] {
  return [election, store, pool];
}

export async function fence(leases: Leases): Promise<Mempool> {
  const source: LeaseSource = leases;
  // @ts-expect-error leases have to tell who holds one
  await ephemeral.open({ leases: {} });
  return ephemeral.open({ leases: source, election: 'watcher', fenced: true });
}
