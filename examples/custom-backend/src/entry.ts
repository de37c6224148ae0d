import type { KnownStage, Ordering, Retention, Stage } from 'mempool-core';
import {
  bytesToHash,
  decodeEntry,
  decodeValue,
  encodeEntry,
  encodeValue,
  hashToBytes,
  likelyCause,
  noFacts,
  optionalReason,
  type Entry as PoolEntry,
  type PoolRecord,
  type Step,
  type StepEvent,
  type Write,
} from 'mempool-core/backend';

/** The first entry of a journal. A later entry of this kind records limits that an open has named. */
export interface HeadEntry {
  readonly kind: 'pool';
  readonly format: number;
  readonly name: string;
  readonly epoch: string;
  /** For good; missing in a journal made before there was a choice. */
  readonly ordering?: Ordering;
  readonly retention: Retention;
}

/** What one call has written. */
interface StepEntry {
  readonly kind: 'step';
  readonly step: Omit<Step<unknown>, 'outcome'>;
}

/** The journal of a pool: the pool, the state it had when the file was made, and every step since. */
export type Entry = HeadEntry | PoolRecord | StepEntry;

/** A verdict has numbers of 64 bits, which core's own record of it keeps exactly. */
type Packed = readonly [hash: Uint8Array, seq: number, record: Uint8Array];

export function encodeContent(entry: Entry): Buffer {
  return encodeValue(withEntries(entry, pack));
}

/** Decodes an entry. Its payloads are copies; otherwise each would keep the whole file in memory. */
export function decodeContent(content: Uint8Array): Entry {
  return withEntries(withNames(decodeValue('entry of the journal', Buffer.from(content)) as Entry), unpack);
}

/** Older journals call the state of a fifo pool `arrivals`, and a claim in it `lease`. */
interface OlderNames {
  readonly arrivals?: { readonly lots?: readonly { readonly lease: unknown; readonly held: unknown }[] } | null;
}

/** Their events have neither cause nor time. A return to Pending is the stage `RolledBack`, and a reason is only a text. */
interface OlderEvent {
  readonly stage: KnownStage | 'RolledBack';
  readonly previous: { readonly stage: Stage };
  readonly reason: string | null;
}

function withNames(entry: Entry): Entry {
  if (entry.kind === 'event') return { ...entry, event: { ...completed(entry.event), at: entry.event.at ?? null } };
  if (entry.kind === 'write') return { ...entry, write: withFacts(entry.write) };
  if (entry.kind !== 'step') return renamed(entry);
  const step = renamed(entry.step);
  const { writes, events, at = null } = step;
  return { ...entry, step: { ...step, at, writes: writes.map(withFacts), events: events.map(completed) } };
}

/** Older records have no facts. */
function withFacts(write: Write): Write {
  const { after } = write;
  return { ...write, after: { ...after, facts: after.facts ?? noFacts } };
}

function completed<E extends StepEvent>(event: E): E {
  if (event.kind === 'block') return { nodeId: null, term: null, ...event };
  if ('cause' in event) return event;
  const { stage, previous, reason } = event as OlderEvent;
  return {
    ...(event as E),
    stage: stage === 'RolledBack' ? 'Pending' : stage,
    cause: likelyCause(stage, previous.stage, reason),
    reason: optionalReason(reason),
    attempts: 0,
    receivedAt: null,
  };
}

function renamed<T extends object>(record: T & OlderNames): T {
  const { arrivals, ...rest } = record;
  if (arrivals === undefined || arrivals === null) return record;
  const lots = arrivals.lots?.map(({ lease, held }) => ({ claim: lease, held }));
  return { ...rest, fifo: lots === undefined ? arrivals : { ...arrivals, lots } } as unknown as T;
}

function pack({ hash, seq, ...entry }: PoolEntry): Packed {
  return [hashToBytes(hash), seq, encodeEntry({ hash, seq, ...entry })];
}

function unpack([hash, seq, record]: Packed): PoolEntry {
  return decodeEntry(bytesToHash(hash), seq, record);
}

/** The same with each verdict replaced. */
function withEntries<From, To>(entry: Entry, replace: (from: From) => To): Entry {
  if (entry.kind === 'entry') return { ...entry, entry: replace(entry.entry as From) as PoolEntry };
  if (entry.kind !== 'step' || !entry.step.pool) return entry;
  const { pool } = entry.step;
  const entries = (pool.entries as readonly From[]).map(replace) as readonly PoolEntry[];
  return { ...entry, step: { ...entry.step, pool: { ...pool, entries } } };
}
