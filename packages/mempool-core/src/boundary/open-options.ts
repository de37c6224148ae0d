import type { OpenedOptions } from '../contract/driver.ts';
import { invalid } from '../contract/errors.ts';
import { defaultThresholds, type Thresholds } from '../contract/lifecycle.ts';
import { type Limits, limitNames, namedLimits, type Ordering } from '../contract/limits.ts';
import type { Observer } from '../contract/observer.ts';
import {
  defaultInflightTtlMs,
  defaultRetention,
  type Logger,
  type OpenOptions,
  type Retention,
  type Schedule,
} from '../contract/options.ts';
import type { Validate } from '../contract/validation.ts';
import { checkCount, maxCallTransactions } from './basic-checks.ts';
import { checkNames } from './option-names.ts';

/** The longest delay of a timer, in milliseconds. Node fires a timer with a longer delay at once. */
export const longestTimerMs: number = 2 ** 31 - 1;

/** The options of an open that the pool itself uses, after the checks. The driver does not get them. */
export interface PoolOptions {
  readonly clock: () => number;
  readonly log: Logger;
  readonly validate: Validate | null;
  readonly maxInvalid: number;
  readonly keepInvalidMs: number;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly maxQueued: number;
  readonly sweepEveryMs: number;
  readonly schedule: Schedule;
  readonly height: (() => number) | null;
  readonly observer: Observer | null;
}

/** Names of the options that every backend takes and that its driver does not get. */
export const poolNames: readonly (keyof OpenOptions & keyof PoolOptions)[] = [
  'validate',
  'maxInvalid',
  'keepInvalidMs',
  'maxBatch',
  'maxBatchBytes',
  'maxQueued',
  'sweepEveryMs',
  'schedule',
  'height',
  'observer',
];

/** Names of the options that every backend takes. */
export const openNames: readonly string[] = [
  ...poolNames,
  'pool',
  'maxTxBytes',
  'inflightTtlMs',
  'timeoutMs',
  'election',
  'fenced',
  'ordering',
  'now',
  'clock',
  'log',
  ...Object.keys(defaultThresholds),
  ...Object.keys(defaultRetention),
  ...limitNames,
];

/** Checks the options of `open` and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolveOptions(options: OpenOptions): OpenedOptions {
  return {
    pool: poolName(options.pool ?? 'mempool'),
    thresholds: { ...defaultThresholds, ...namedThresholds(options) },
    retention: namedRetention(options),
    maxTxBytes: count('maxTxBytes', options.maxTxBytes ?? 1_048_576),
    inflightTtlMs: countOrNever('inflightTtlMs', options.inflightTtlMs ?? defaultInflightTtlMs),
    ordering: orderingOf(options.ordering ?? 'fifo'),
    limits: namedLimits(options),
    now: options.now === undefined ? null : timeOf(callable('now', options.now)),
    election: electionName(options.election ?? 'watcher'),
    fenced: flag('fenced', options.fenced ?? false),
    timeoutMs: Math.min(longestTimerMs, count('timeoutMs', options.timeoutMs ?? 5_000)),
    clock: callable('clock', options.clock ?? (() => performance.now())),
    log: callable('log', options.log ?? (() => undefined)),
  };
}

/** A timer that does not keep the process alive. */
const backgroundTimer: Schedule = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};

/** Checks the options that the pool itself uses and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolvePoolOptions(options: OpenOptions, opened: OpenedOptions): PoolOptions {
  const { validate, height, observer, sweepEveryMs = 1_000 } = options;
  const { clock, log } = opened;
  return {
    clock,
    log,
    validate: validate === undefined ? null : callable('validate', validate),
    maxInvalid: count('maxInvalid', options.maxInvalid ?? 10_000),
    keepInvalidMs: checkCount('keepInvalidMs', options.keepInvalidMs ?? 60_000),
    maxBatch: upTo('maxBatch', options.maxBatch ?? 128, maxCallTransactions),
    maxBatchBytes: count('maxBatchBytes', options.maxBatchBytes ?? 4_194_304),
    maxQueued: count('maxQueued', options.maxQueued ?? 100_000),
    sweepEveryMs:
      sweepEveryMs === Number.POSITIVE_INFINITY ? sweepEveryMs : upTo('sweepEveryMs', sweepEveryMs, longestTimerMs),
    schedule: callable('schedule', options.schedule ?? backgroundTimer),
    height: height === undefined ? null : callable('height', height),
    observer: observer === undefined ? null : callable('observer', observer),
  };
}

/** Returns the thresholds that are set, without defaults. @throws `ERR_MEMPOOL_INVALID` naming the threshold */
export function namedThresholds(given: Partial<Thresholds>): Partial<Thresholds> {
  const named: Partial<Record<keyof Thresholds, number>> = {};
  for (const field of ['finalizeThreshold', 'dropThreshold'] as const) {
    const value = given[field];
    if (value === undefined) continue;
    named[field] = countOrNever(field, value);
  }
  return named;
}

function namedRetention(options: OpenOptions): Partial<Retention> {
  const named: Partial<Record<keyof Retention, number>> = {};
  for (const field of ['maxFinalized', 'maxEvents', 'maxRollback'] as const) {
    const value = options[field];
    if (value !== undefined) named[field] = count(field, value);
  }
  return named;
}

function countOrNever(field: string, value: number): number {
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || value < 1))
    throw invalid(field, 'a whole number of at least 1, or Infinity for never');
  return value;
}

function count(field: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(field, 'a whole number of at least 1');
  return value;
}

function upTo(field: string, value: number, most: number): number {
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw invalid(field, `a whole number from 1 to ${most}`);
  return value;
}

function callable<F extends (...given: never[]) => unknown>(field: string, value: F): F {
  if (typeof value !== 'function') throw invalid(field, 'a function');
  return value;
}

/**
 * Wraps a clock. Rejects a time that one backend would store and another would report as damaged, and cuts fractions off:
 * stored times have none, and of two backends one compared them with a fraction, the other without.
 */
function timeOf(now: () => number): () => number {
  return () => {
    const ms = now();
    if (!Number.isFinite(ms) || ms < 0 || ms > Number.MAX_SAFE_INTEGER)
      throw invalid('now', 'a function that returns milliseconds since 1970');
    return Math.floor(ms);
  };
}

function orderingOf(ordering: Ordering): Ordering {
  if (ordering !== 'fifo' && ordering !== 'priority') throw invalid('ordering', "'fifo' or 'priority'");
  return ordering;
}

function flag(field: string, value: boolean): boolean {
  if (typeof value !== 'boolean') throw invalid(field, 'true or false');
  return value;
}

function electionName(name: string): string {
  if (typeof name !== 'string' || !/^[a-z0-9._-]{1,64}$/.test(name))
    throw invalid('election', '1–64 lower-case letters, digits, dots, dashes and underscores');
  return name;
}

function poolName(pool: string): string {
  if (typeof pool !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(pool))
    throw invalid('pool', '1–128 printable ASCII characters without spaces');
  return pool;
}

const knownLimits: ReadonlySet<string> = new Set(limitNames);

/** Returns a checked copy of the limits of a `setLimits` call. @throws `ERR_MEMPOOL_INVALID` naming the limit */
export function checkLimits(given: Partial<Limits>): Partial<Limits> {
  return namedLimits(checkNames('limits', given, knownLimits));
}
