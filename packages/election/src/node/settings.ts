import { randomUUID } from 'node:crypto';
import { type ElectionClock, systemClock } from '../contract/clock.ts';
import { badOption } from '../contract/errors.ts';
import type { Candidate } from '../contract/lease-store.ts';
import type { ElectionOptions } from '../contract/options.ts';
import type { LeaseStoreOptions } from '../contract/provider.ts';
import { marginMs } from './clock-reading.ts';

const dayMs = 86_400_000;
const silent: LeaseStoreOptions['log'] = () => undefined;

/** The options of an election after the checks, with defaults filled in. */
export interface Settings extends LeaseStoreOptions {
  readonly candidate: Candidate;
  /** True for a node that never leads. */
  readonly observer: boolean;
  readonly renewMs: number;
  readonly heartbeatMs: number;
  readonly pollMs: number;
  readonly staleHeartbeatMs: number;
  readonly startDelayMs: number;
  readonly jitterMs: number;
  readonly progressTimeoutMs: number;
}

/** Checks the options and fills in the defaults. @throws `ERR_ELECTION_OPTION` naming the field */
export function settingsOf(options: ElectionOptions): Settings {
  const ttlMs = duration('ttlMs', options.ttlMs ?? 10_000, { least: 250, most: dayMs });
  const renewMs = duration('renewMs', options.renewMs ?? Math.floor(ttlMs / 3), { least: 1, most: ttlMs });
  return {
    name: text('name', options.name ?? 'watcher', /^[a-z0-9._-]{1,64}$/, '1–64 of a–z, 0–9, dot, dash and underscore'),
    candidate: candidateOf(options),
    observer: observerOf(options),
    ttlMs,
    renewMs,
    commandTimeoutMs: commandTimeoutMs(ttlMs, renewMs),
    heartbeatMs: duration('heartbeatMs', options.heartbeatMs ?? Math.floor(ttlMs / 3), { least: 1, most: ttlMs }),
    pollMs: duration('pollMs', options.pollMs ?? Math.min(500, Math.floor(ttlMs / 2)), { least: 1, most: ttlMs / 2 }),
    staleHeartbeatMs: unlessOff('staleHeartbeatMs', options.staleHeartbeatMs ?? ttlMs + 5_000, ttlMs),
    startDelayMs: duration('startDelayMs', options.startDelayMs ?? 0, { least: 0, most: dayMs }),
    jitterMs: duration('jitterMs', options.jitterMs ?? 25, { least: 0, most: dayMs }),
    progressTimeoutMs: unlessOff('progressTimeoutMs', options.progressTimeoutMs ?? false, 1),
    clock: clockOf(options.clock ?? systemClock),
    log: harmless(callable('log', options.log ?? silent)),
  };
}

function candidateOf({ nodeId, address, priority = 0 }: ElectionOptions): Candidate {
  if (address !== undefined && typeof address !== 'string') throw badOption('address', 'a string');
  if (!Number.isSafeInteger(priority) || priority < 0 || priority > 100) {
    throw badOption('priority', 'a whole number from 0 to 100');
  }
  const printable = '1–128 printable ASCII characters without spaces';
  return {
    nodeId: text('nodeId', nodeId ?? randomUUID(), /^[\x21-\x7e]{1,128}$/, printable),
    address: address ?? null,
    priority,
  };
}

/** A priority would make the others wait for a campaign that never comes. */
function observerOf({ observer = false, priority = 0 }: ElectionOptions): boolean {
  if (typeof observer !== 'boolean') throw badOption('observer', 'true or false');
  if (observer && priority !== 0) throw badOption('priority', '0 in an observer');
  return observer;
}

/** Two attempts to renew must fit between the time a renewal is due and the time the lease expires. */
function commandTimeoutMs(ttlMs: number, renewMs: number): number {
  const timeoutMs = Math.floor((ttlMs - renewMs - marginMs(ttlMs)) / 2);
  if (timeoutMs < 10) throw badOption('renewMs', `at most ${Math.floor(ttlMs - marginMs(ttlMs) - 20)} with this ttlMs`);
  return timeoutMs;
}

function duration(field: string, value: number, { least, most }: { least: number; most: number }): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw badOption(field, `a whole number of milliseconds from ${least} to ${Math.floor(most)}`);
}

function unlessOff(field: string, value: number | false, least: number): number {
  return value === false ? Number.POSITIVE_INFINITY : duration(field, value, { least, most: 7 * dayMs });
}

function text(field: string, value: string, form: RegExp, expected: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw badOption(field, expected);
  return value;
}

/** An error of the logger must not end an election. */
function harmless(log: LeaseStoreOptions['log']): LeaseStoreOptions['log'] {
  return (...entry) => {
    try {
      log(...entry);
    } catch {
      // There is nowhere left to report it.
    }
  };
}

function clockOf(clock: ElectionClock): ElectionClock {
  for (const verb of ['monotonicMs', 'wallMs', 'schedule'] as const) callable('clock', clock?.[verb]);
  return clock;
}

function callable<F extends (...given: never[]) => unknown>(field: string, value: F): F {
  if (typeof value !== 'function') throw badOption(field, field === 'clock' ? 'an ElectionClock' : 'a function');
  return value;
}
