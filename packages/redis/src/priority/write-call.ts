import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/lua-script.ts';
import { pack } from '../pool/packed.ts';
import { readPoint } from '../pool/record.ts';
import type { CallId } from './mirror-sync.ts';
import { type EntryBefore, stepCommands } from './step-commands.ts';

/** Separates stamp and outcome in the record of an id. */
const gap = ' ';
const noBytes = Buffer.alloc(0);
/** Maximum number of events in one entry of the stream. */
const mostEvents = 1_000;

/** One writing call, over all its attempts. */
export interface WriteCall<T> extends CallId {
  readonly script: 'commit' | 'commitChain';
  readonly verb: string;
  readonly fence: readonly Argument[];
  readonly plan: core.Plan<T>;
  readonly digest: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** Outcomes of the attempts that may have been carried out, by their stamps. */
  readonly sent: Map<string, T>;
  /** How often others overtook it. */
  refusals: number;
  /** Whether its node had to load the whole pool. */
  reloads: boolean;
}

export interface PlannedStep<T> {
  readonly step: core.Step<T>;
  /** The change for other mirrors; `null` if there is none. */
  readonly change: core.PoolChange | null;
  readonly pool: core.PriorityPool;
  /** The state of the pool on which it was planned. */
  readonly position: core.PoolPosition;
  readonly entryBefore: EntryBefore;
}

/** A plan may refuse the call. On a mirror that is out of date, that is not final. */
export function planOn<T>(
  mirror: core.MirroredPool,
  { plan }: WriteCall<T>,
  nowMs: number,
): PlannedStep<T> | { readonly refused: unknown } {
  const { pool, position } = mirror;
  try {
    return { ...mirror.plan((planning) => plan(planning, nowMs)), pool, position };
  } catch (refused) {
    return { refused };
  }
}

/** Whether the commit script must run: for a change, for an outcome to record, and for calls of a leader. */
export function isWritten<T>({ change }: PlannedStep<T>, { script, ids }: WriteCall<T>): boolean {
  return script === 'commitChain' || ids === 'ops' || change !== null;
}

/** One commit of a call. */
interface Commit {
  /** The name of the node. */
  readonly node: string;
  readonly stamp: string;
  readonly ticket: readonly [usualMs: number, reloadMs: number] | undefined;
  /** The application's time, if it has a clock. */
  readonly now: number | undefined;
}

/** The arguments of lua/priority/commit.lua. */
export function commitArguments<T>(call: WriteCall<T>, planned: PlannedStep<T>, commit: Commit): Argument[] {
  const { id, ids, verb, digest, fence } = call;
  const { step, change, position } = planned;
  const outcome = ids === 'calls' ? noBytes : core.encodeOutcome(verb, step.outcome, digest);
  const { epoch, version, stamp: base } = position;
  const { bodies = [], ...content } = change === null ? {} : contentOf(planned, change);
  const packed = pack({
    ...{ ...commit, epoch, version, base },
    record: Buffer.concat([Buffer.from(commit.stamp + gap), outcome]),
    prolongs: step.chain !== null,
    ...content,
  });
  return [id, verb, ...fence, packed, ...bodies];
}

/** The parts of a commit that changes the pool. */
function contentOf(planned: PlannedStep<unknown>, change: core.PoolChange) {
  const { step, entryBefore } = planned;
  const entries = change.pool.entries.map(core.encodeEntry);
  const { bodies, commands, idleTicks } = stepCommands(planned, { step, entries, entryBefore });
  const encoded = core.encodeChange(change, entries);
  return { bodies, change: encoded, events: eventParts(step.events), commands: commands.list, idleTicks };
}

/** The events, in parts for the entries of the stream, each with the number of its events. */
function eventParts(events: readonly core.StepEvent[]): (readonly [count: number, packed: Buffer])[] {
  const parts: (readonly [number, Buffer])[] = [];
  for (let from = 0; from < events.length; from += mostEvents) {
    const part = events.slice(from, from + mostEvents);
    parts.push([part.length, core.encodeEvents(part)]);
  }
  return parts;
}

export function fencedOutcome([, point, tick]: readonly unknown[]): core.FencedOutcome {
  return { kind: 'fenced', tip: { point: readPoint(point as Buffer), tick: tick as number } };
}

/** The outcome of an attempt of this very call is still in memory, complete. An earlier call's outcome comes from its record. */
export function recalled<T>({ verb, digest, sent }: Pick<WriteCall<T>, 'verb' | 'digest' | 'sent'>, record: Buffer): T {
  const end = record.indexOf(gap);
  const own = sent.get(record.toString('latin1', 0, end));
  return own === undefined ? core.decodeOutcome<T>(verb, record.subarray(end + 1), digest) : own;
}
