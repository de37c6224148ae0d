/**
 * The record of a fail-over run: what every process saw, one JSON object a line, in one file. Times (`at`, `sentAt`, `deadline`) are
 * nanoseconds of the host's monotonic clock, which all processes of a host share, so lines of different processes compare.
 */
import type { ChainPoint, MempoolEvent } from 'mempool-core';

/** The node and process that wrote a line. A node that is started again has another process. */
export interface Writer {
  readonly at: number;
  readonly node: string;
  readonly pid: number;
}

interface Led extends Writer {
  readonly term: number;
  readonly token: string;
}

interface Call extends Writer {
  /** The number of the call in its process. */
  readonly call: number;
  readonly verb: 'confirm' | 'rollback';
  /** The block to apply, or the target of the rollback. */
  readonly point: ChainPoint | null;
  /** The term of the lease passed with the call; `null` if there was none. */
  readonly term: number | null;
  /** The token of that lease. Old records have none. */
  readonly token?: string | null;
}

export type FailoverEntry =
  /** The settings of the run. `roundTripMs` is the longest time of one command of the election. */
  | {
      readonly kind: 'run';
      readonly at: number;
      readonly ttlMs: number;
      readonly renewMs: number;
      readonly roundTripMs: number;
      readonly seed: number;
    }
  /** A win. `sentAt` is the time of the first campaign with this token, `deadline` the end of the leadership without a renewal. */
  | ({ readonly kind: 'acquired'; readonly sentAt: number; readonly deadline: number } & Led)
  | ({ readonly kind: 'renewed'; readonly deadline: number } & Led)
  | ({ readonly kind: 'lost'; readonly reason: string } & Led)
  | ({ readonly kind: 'sent' } & Call)
  /** An answered call. `outcome` is the kind of the pool's answer, or the code of the error. `tick` is that of the tip in the answer. */
  | ({ readonly kind: 'answered'; readonly outcome: string; readonly tick: number | null } & Call)
  /** A block event of the pool, which numbers them in commit order. Several processes may record the same one. */
  | {
      readonly kind: 'block';
      readonly at: number;
      readonly eventSeq: number;
      readonly action: 'applied' | 'undone';
      readonly point: ChainPoint;
      readonly tick: number;
    }
  /**
   * An observation of the store: the lease that was held while the pool's newest event was this one. `token` is `null` if no lease was
   * held. `term` is the newest term assigned.
   */
  | {
      readonly kind: 'held';
      readonly at: number;
      readonly eventSeq: number;
      readonly term: number;
      readonly token: string | null;
    }
  /** A fault. `target` is the node; `null` for the store. `removesLease` is true if the fault removes a live lease from outside. */
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly fault: string;
      readonly target: string | null;
      /** The id of the process that received a signal. */
      readonly pid: number | null;
      readonly removesLease: boolean;
    }
  | { readonly kind: 'healed'; readonly at: number; readonly fault: string; readonly target: string | null }
  /** The state at the end of the run, and the state of a single node that applied the same chain. */
  | { readonly kind: 'final'; readonly at: number; readonly digest: string; readonly expected: string };

export type FailoverEntryOf<K extends FailoverEntry['kind']> = Extract<FailoverEntry, { readonly kind: K }>;

export interface FailoverRecord {
  readonly entries: readonly FailoverEntry[];
  /** Numbers of the lines that are not entries, from 1. A killed process may leave half a line. */
  readonly torn: readonly number[];
  /** Number of lines. */
  readonly lines: number;
}

/** The fault that kills a process. */
export const killFault = 'kill -9';

/** Returns the time of a clock that all processes of this host share, in nanoseconds. */
export function hostNow(): number {
  return Number(process.hrtime.bigint());
}

export function blockEntry(event: MempoolEvent): FailoverEntryOf<'block'> | null {
  if (event.kind !== 'block') return null;
  const { eventSeq, action, point, tick } = event;
  return { kind: 'block', at: hostNow(), eventSeq, action, point, tick };
}

export function entriesOf<K extends FailoverEntry['kind']>(
  { entries }: FailoverRecord,
  kind: K,
): readonly FailoverEntryOf<K>[] {
  return entries.filter((entry): entry is FailoverEntryOf<K> => entry.kind === kind);
}

/** Parses a record. It accepts any text, because `checkFailover` checks lines that are not entries. */
export function parseFailoverRecord(text: string): FailoverRecord {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries: FailoverEntry[] = [];
  const torn: number[] = [];
  for (const [index, line] of lines.entries()) {
    const entry = parseLine(line);
    if (entry === null) torn.push(index + 1);
    else entries.push(entry);
  }
  return { entries, torn, lines: lines.length };
}

function parseLine(line: string): FailoverEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

const numbers = ['number'] as const;
const orNull = ['number', 'object'] as const;
const text = ['string'] as const;
const point = ['object'] as const;
const led = { node: text, pid: numbers, term: numbers, token: text };
const call = { node: text, pid: numbers, call: numbers, verb: text, point, term: orNull };

/** The fields that the check relies on, beside `at`. */
const shapes: Readonly<Record<FailoverEntry['kind'], Readonly<Record<string, readonly string[]>>>> = {
  run: { ttlMs: numbers, renewMs: numbers, roundTripMs: numbers },
  acquired: { ...led, sentAt: numbers, deadline: numbers },
  renewed: { ...led, deadline: numbers },
  lost: led,
  sent: call,
  answered: { ...call, outcome: text, tick: orNull },
  block: { eventSeq: numbers, action: text, point, tick: numbers },
  held: { eventSeq: numbers, term: numbers, token: ['string', 'object'] },
  fault: { fault: text, removesLease: ['boolean'] },
  healed: { fault: text },
  final: { digest: text, expected: text },
};

function isEntry(value: unknown): value is FailoverEntry {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  const shape = Object.entries(shapes).find(([kind]) => kind === fields.kind)?.[1];
  if (shape === undefined || typeof fields.at !== 'number') return false;
  return Object.entries(shape).every(([name, kinds]) => name in fields && kinds.includes(typeof fields[name]));
}
