import type { ReadOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import { unknownName } from './nearest-name.ts';

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
