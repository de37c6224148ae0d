import type { ReadOptions } from '../contract/call-options.ts';
import { invalid, MempoolError } from '../contract/errors.ts';

const read = ['signal'] as const;
const write = [...read, 'operationId'] as const;
const page = [...read, 'limit'] as const;
const moment = ['now', 'height'] as const;

type CallKind =
  | 'read'
  | 'write'
  | 'chain'
  | 'moment'
  | 'submit'
  | 'take'
  | 'page'
  | 'log'
  | 'subscribe'
  | 'tip'
  | 'since'
  | 'gossip'
  | 'stale'
  | 'wait'
  | 'walk'
  | 'logWalk'
  | 'recheck';

/** What the options of a call may be named, by kind of call. */
export const callNames: Readonly<Record<CallKind, ReadonlySet<string>>> = {
  read: new Set<string>(read),
  write: new Set<string>(write),
  chain: new Set<string>([...write, 'lease']),
  moment: new Set<string>([...write, ...moment]),
  submit: new Set<string>([...write, ...moment, 'from']),
  take: new Set<string>([...write, ...moment, 'owner', 'claimMs']),
  page: new Set<string>([...page, 'after']),
  log: new Set<string>([...page, 'cursor']),
  subscribe: new Set<string>([...read, 'after']),
  tip: new Set<string>([...read, 'points']),
  since: new Set<string>([...page, 'except', 'hashesOnly']),
  gossip: new Set<string>([...page, 'after', 'hashesOnly']),
  stale: new Set<string>([...page, 'height']),
  wait: new Set<string>([...read, 'stage', 'confirmations']),
  walk: new Set<string>([...read, 'after', 'onCorrupt']),
  logWalk: new Set<string>([...read, 'cursor', 'onCorrupt']),
  recheck: new Set<string>([...read, 'height', 'slice']),
};

export type CallNames = Pick<ReadonlySet<string>, 'has' | typeof Symbol.iterator>;

/** For options that somebody else looks after. */
export const anyName: CallNames = { has: () => true, [Symbol.iterator]: () => new Set<string>().values() };

/** An object whose fields have only these names. @throws `ERR_MEMPOOL_INVALID` naming what is wrong */
export function checkNames<O extends object>(place: string, given: O, names: CallNames): O {
  if (typeof given !== 'object' || given === null) throw invalid(place, 'an object');
  for (const name of Object.keys(given)) {
    if (names.has(name) || given[name as keyof O] === undefined) continue;
    throw unknownName(place === 'options' ? '' : `${place}.`, name, names);
  }
  return given;
}

/** `null`, as code around `fetch` has it, is none. @throws `ERR_MEMPOOL_INVALID` naming `signal` */
export function checkSignal({ signal }: ReadOptions): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (!isSignal(signal)) throw invalid('signal', 'an AbortSignal');
  return signal;
}

type Heard = Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener' | 'throwIfAborted'>;

/**
 * One of this realm, or one like it that can be listened to: what throws in the middle of a call would leave it half
 * made.
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
  // Listens only to find out whether it can.
}

/** Longer than any name there is: what is longer is neither compared nor told whole. */
const maxNameLength = 100;

/** A name as an error may tell it. */
export function shortName(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
}

/** The name most like `given`, where one is near enough to be meant. */
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

/** What to add to an error about a name that is not known. */
export function hint(given: string, names: Iterable<string>): string {
  const near = nearest(given, names);
  return near === null ? '' : `; did you mean ${near}?`;
}

/** An option that there is not: the error that names it, and the one that may be meant. */
function unknownName(prefix: string, given: string, names: Iterable<string>): MempoolError {
  const field = prefix + shortName(given);
  const message = `${field} is not an option known here${hint(given, names)}`;
  return new MempoolError('ERR_MEMPOOL_INVALID', message, { field });
}

/** Levenshtein's: letters to put in, leave out or replace. */
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
