import type { ReadOptions } from '../contract/call-options.ts';
import { invalid, MempoolError } from '../contract/errors.ts';

const read = ['signal'] as const;
const write = [...read, 'operationId'] as const;
const page = [...read, 'limit'] as const;
const moment = ['now', 'height'] as const;

type CallKind =
  | 'read'
  | 'import'
  | 'reap'
  | 'payloads'
  | 'write'
  | 'claim'
  | 'drop'
  | 'release'
  | 'sweep'
  | 'chain'
  | 'put'
  | 'moment'
  | 'submit'
  | 'take'
  | 'page'
  | 'tag'
  | 'log'
  | 'subscribe'
  | 'tip'
  | 'since'
  | 'gossip'
  | 'stale'
  | 'wait'
  | 'walk'
  | 'bestWalk'
  | 'logWalk'
  | 'recheck'
  | 'work';

/** The names of the options of a call, by kind of call. */
export const callNames: Readonly<Record<CallKind, ReadonlySet<string>>> = {
  read: new Set<string>(read),
  import: new Set<string>([...read, 'acceptChanged', 'onProgress']),
  reap: new Set<string>([...read, 'payloads', 'view']),
  payloads: new Set<string>([...read, 'view']),
  write: new Set<string>(write),
  claim: new Set<string>([...write, 'claim']),
  drop: new Set<string>([...write, 'claim', 'descendants']),
  release: new Set<string>([...write, 'claim', 'notBeforeMs']),
  sweep: new Set<string>([...write, ...moment, 'overLimits']),
  chain: new Set<string>([...write, 'lease']),
  put: new Set<string>([...write, 'lease', 'version']),
  moment: new Set<string>([...write, ...moment]),
  submit: new Set<string>([...write, ...moment, 'from']),
  take: new Set<string>([...write, ...moment, 'owner', 'claimMs', 'payloads']),
  page: new Set<string>([...page, 'after']),
  tag: new Set<string>(page),
  log: new Set<string>([...page, 'cursor']),
  subscribe: new Set<string>([...read, 'after', 'hashes']),
  tip: new Set<string>([...read, 'points']),
  since: new Set<string>([...page, 'after', 'except', 'hashesOnly']),
  gossip: new Set<string>([...page, 'after', 'hashesOnly']),
  stale: new Set<string>([...page, 'height']),
  wait: new Set<string>([...read, 'stage', 'confirmations', 'timeoutMs']),
  walk: new Set<string>([...read, 'after']),
  bestWalk: new Set<string>([...read, 'filter', 'newcomers', 'readAhead']),
  logWalk: new Set<string>([...read, 'cursor']),
  recheck: new Set<string>([...read, 'height', 'slice']),
  work: new Set<string>([...read, 'owner', 'concurrency', 'claimMs', 'attempts', 'onSuccess', 'backoff']),
};

/** A set of option names. */
export type CallNames = Pick<ReadonlySet<string>, 'has' | typeof Symbol.iterator>;

/** Accepts every name, for options that a backend checks itself. */
export const anyName: CallNames = { has: () => true, [Symbol.iterator]: () => new Set<string>().values() };

/**
 * Returns `given` if it is an object and has only fields with these names.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function checkNames<O extends object>(place: string, given: O, names: CallNames): O {
  if (typeof given !== 'object' || given === null) throw invalid(place, 'an object');
  for (const name of Object.keys(given)) {
    if (names.has(name) || given[name as keyof O] === undefined) continue;
    throw unknownName(place === 'options' ? '' : `${place}.`, name, names);
  }
  return given;
}

/** Does the same for an argument that is known to be an object. `place` is called only for an error. */
export function checkFields(place: () => string, given: object, names: CallNames): void {
  for (const name in given) {
    if (names.has(name) || given[name as keyof object] === undefined) continue;
    throw unknownName(`${place()}.`, name, names, 'field');
  }
}

/** Returns the signal; `null` means none, as in `fetch`. @throws `ERR_MEMPOOL_INVALID` naming `signal` */
export function checkSignal({ signal }: ReadOptions): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (!isSignal(signal)) throw invalid('signal', 'an AbortSignal');
  return signal;
}

type Heard = Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener' | 'throwIfAborted'>;

/**
 * True for an `AbortSignal` of this realm, or for an object with working methods of that kind. Without this test a bad
 * signal would throw in the middle of a call.
 */
function isSignal(signal: Heard): boolean {
  try {
    if (typeof signal.aborted !== 'boolean') return false;
    if (signal instanceof AbortSignal) return true;
    signal.addEventListener('abort', ignore);
    signal.removeEventListener('abort', ignore);
    return typeof signal.throwIfAborted === 'function';
  } catch {
    return false;
  }
}

function ignore(): void {
  // Does nothing: `isSignal` only tests that it can add a listener.
}

/** Longer than any option name. Longer names are cut before they are compared or printed. */
const maxNameLength = 100;

/** The name for an error message, cut to 100 characters. */
export function shortName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
}

/** The name most similar to `given`; `null` if none is similar. */
function nearest(given: string, names: Iterable<string>): string | null {
  const short = given.slice(0, maxNameLength).toLowerCase();
  let best: string | null = null;
  let least = Math.max(2, Math.floor(short.length / 3)) + 1;
  for (const name of names) {
    const edits = distance(short, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** The text `; did you mean …?` for an error about an unknown name; empty if no name is similar. */
export function hint(given: string, names: Iterable<string>): string {
  const near = nearest(given, names);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** The error for an unknown option or field. It names it and, if there is one, a similar name. */
function unknownName(prefix: string, given: string, names: Iterable<string>, kind = 'option'): MempoolError {
  const field = prefix + shortName(given);
  const message = `${field} is not a known ${kind}${hint(given, names)}`;
  return new MempoolError('ERR_MEMPOOL_INVALID', message, { field });
}

/** The Levenshtein distance: the number of letters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
