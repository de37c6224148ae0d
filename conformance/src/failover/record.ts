/**
 * The record of a fail-over run: what every process saw, one JSON object a line, in one file. Times (`at`, `sentAt`, `deadline`) are
 * nanoseconds of the host's monotonic clock, which all processes of a host share, so lines of different processes compare.
 */
import type { ChainPoint, MempoolEvent } from 'mempool-core';

/** Who wrote a line. A node that is started again has another process. */
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
  /** Number of the call in its process. */
  readonly call: number;
  readonly verb: 'confirm' | 'rollback';
  /** The block to apply, or the point to go back to. */
  readonly point: ChainPoint | null;
  /** Of the lease that went with it; `null`: none did. */
  readonly term: number | null;
  /** Likewise. Records made before it was written down have none. */
  readonly token?: string | null;
}

export type FailoverEntry =
  /** What the run was told. `roundTripMs`: how long one command of the election may take. */
  | {
      readonly kind: 'run';
      readonly at: number;
      readonly ttlMs: number;
      readonly renewMs: number;
      readonly roundTripMs: number;
      readonly seed: number;
    }
  /** `sentAt`: when the first campaign of this token left. `deadline`: until when the node believes without a renewal. */
  | ({ readonly kind: 'acquired'; readonly sentAt: number; readonly deadline: number } & Led)
  | ({ readonly kind: 'renewed'; readonly deadline: number } & Led)
  | ({ readonly kind: 'lost'; readonly reason: string } & Led)
  | ({ readonly kind: 'sent' } & Call)
  /** `outcome`: the kind that the pool answered, or the code of the error. `tick`: of the tip in the answer. */
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
   * What the store said: this lease was held while the pool's newest event was this one; `token: null`: nobody's was. `term`:
   * the newest that was given out.
   */
  | {
      readonly kind: 'held';
      readonly at: number;
      readonly eventSeq: number;
      readonly term: number;
      readonly token: string | null;
    }
  /** `target`: the node; `null`: the store. `removesLease`: what it does takes a live lease away from outside. */
  | {
      readonly kind: 'fault';
      readonly at: number;
      readonly fault: string;
      readonly target: string | null;
      /** Of the process that a signal went to. */
      readonly pid: number | null;
      readonly removesLease: boolean;
    }
  | { readonly kind: 'healed'; readonly at: number; readonly fault: string; readonly target: string | null }
  /** The state that the run ended in, and that of a single node that saw the same chain. */
  | { readonly kind: 'final'; readonly at: number; readonly digest: string; readonly expected: string };

export type FailoverEntryOf<K extends FailoverEntry['kind']> = Extract<FailoverEntry, { readonly kind: K }>;

export interface FailoverRecord {
  readonly entries: readonly FailoverEntry[];
  /** Numbers of lines that are no entries, from 1: a process that is killed may leave half of one. */
  readonly torn: readonly number[];
  /** How many lines there are. */
  readonly lines: number;
}

/** The fault that ends a process without a word. */
export const killFault = 'kill -9';

/** Nanoseconds of the clock that the processes of this host share. */
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

/** Reads a record. Nothing is refused here: lines that are no entries are the check's to judge. */
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
