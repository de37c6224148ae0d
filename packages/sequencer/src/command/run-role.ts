import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { isMempoolError, type Logger } from 'mempool-core';
import type { Election } from 'mempool-election';
import { createMetrics } from 'mempool-server';
import { openSequencer } from '../sequencer.ts';
import { electionOf, sequencerOptions } from './open-role.ts';
import type { OpenRole, Role, RoleConfig, RoleParts } from './role.ts';
import { roleGauges } from './role-metrics.ts';
import { serve } from './serve.ts';

/** A process loads the modules of its role, and no others. */
const open: Readonly<Record<Role, (parts: RoleParts) => Promise<OpenRole>>> = {
  gateway: async (parts) => (await import('./gateway.ts')).openGateway(parts),
  dequeuer: async ({ sequencer, signal }) => working(() => sequencer.dequeuer.run({ signal })),
  finalizer: async ({ sequencer, signal }) => working(() => sequencer.finalizer.run({ signal })),
  aggregator: async ({ sequencer, signal, name, section }) =>
    working(() => sequencer.aggregator.collect({ owner: name, claimMs: section.claimMs ?? undefined, signal })),
  monitor: async (parts) => (await import('./chain-roles.ts')).openMonitor(parts),
  relayer: async (parts) => (await import('./chain-roles.ts')).openRelayer(parts),
};

function working(run: () => Promise<unknown>): OpenRole {
  return { run, [Symbol.asyncDispose]: async () => undefined };
}

/** Does the work of one role until the signal aborts. @throws any error of the store, of the work or of `listen` */
export async function runRole(role: Role, config: RoleConfig, log: Logger, signal: AbortSignal): Promise<void> {
  const { section, name, leaseMs, url, server } = config;
  const metrics = createMetrics();
  await using sequencer = await openSequencer(await sequencerOptions(config, log));
  metrics.gauges(roleGauges, () => sequencer);
  await using opened = await open[role]({ section, name, leaseMs, url, sequencer, log, signal });
  // The monitor takes part in the election by itself. All others report that they live.
  await using present = electionOf(config, { observer: true });
  if (role !== 'monitor') void reportLife(present, signal);
  await using served = await serve(
    { pool: sequencer.namespace.parts, metrics, opened: opened.served ?? {} },
    server,
    log,
  );
  log('info', 'working', { role, name, url: served.url });
  // Written now, because a killed process writes nothing at its end.
  flushCompileCache();
  await opened.run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  log('info', 'stopped', { role, name });
}

/** The work does not wait for it: a process that is not seen works all the same. */
async function reportLife(present: Election, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await present.start();
    } catch {
      await delay(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** True if the same may succeed later, such as when the store did not answer in time. */
export function isPassing(error: unknown): boolean {
  if (isMempoolError(error)) return error.retryable;
  return error instanceof Error && 'code' in error && error.code === 'ERR_ELECTION_UNAVAILABLE';
}
