import * as core from 'mempool-core/backend';
import type { Argument } from '../connection/script-call.ts';
import { readPoint } from '../pool/record.ts';
import { type CallId, positionArguments } from './mirror-sync.ts';
import { type EntryBefore, stepCommands } from './step-commands.ts';

/** Separates stamp and outcome in the record of an id. */
const gap = ' ';
const noBytes = Buffer.alloc(0);
/** Maximum number of events in one entry of the stream. */
const mostEvents = 1_000;

/** Whether nodes that are in each other's way write in turns, and carry out calls of each other. Otherwise one that loses takes a ticket. */
export const takesTurns: boolean = false;

const leastTicketMs = 20;
const longestTicketMs = 2_000;
/** How often a call is refused before it takes a ticket. A leader plans long, and the pool must follow the chain. */
const patience = { commit: 2, commitChain: 1 } as const;

/** How long the ticket is valid that a commit leaves when it is refused: usually, and when the whole pool must be loaded; '' for none. */
export function ticketOf({ script, refusals, reloads, needMs }: WriteCall<unknown>, attemptMs: number): Argument[] {
  if (refusals + 1 < patience[script]) return ['', ''];
  const ms = Math.ceil(Math.min(longestTicketMs, leastTicketMs + 2 * Math.max(needMs, attemptMs)));
  return [ms, reloads ? ms : longestTicketMs];
}

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
  /** The longest time of an attempt, from plan to answer. A turn must be that long. */
  needMs: number;
  /** The call for another node, which may plan it; `null` if none may. */
  left: core.ReceiveCall | null;
  /** Whether it was left to another node, which may have carried it out, and nobody was told. */
  wasLeft: boolean;
  /** It may be on the intake: a node that finds it there later must find its outcome recorded. */
  mayBeServed: boolean;
  /** How often its commits were refused, because others were quicker. */
  refusals: number;
  /** Whether it was answered that the whole pool must be loaded. */
  reloads: boolean;
  /** Of another node's call: its place on the intake, and the stream where that node waits. */
  readonly from: readonly [place: string, answers: string] | null;
}

export interface PlannedStep<T> {
  readonly step: core.Step<T>;
  /** The change for other mirrors; `null` if there is none. */
  readonly change: core.PoolChange | null;
}

/** Where a step is planned: on the mirror, or on the result of a step that is sent together with it. */
export interface PlannedAt {
  readonly pool: core.PriorityPool;
  readonly position: core.PoolPosition;
  readonly entryBefore: EntryBefore;
  /** On the result of another one, without which it must not change anything. */
  readonly follows: boolean;
}

export type Planned<T> = (PlannedStep<T> & { readonly at: PlannedAt }) | { readonly refused: unknown };

/** A plan may refuse the call. On a mirror that is behind, that is not final. */
export function planOn<T>(mirror: core.MirroredPool, { plan }: WriteCall<T>, nowMs: number): Planned<T> {
  const { pool, position } = mirror;
  try {
    const { step, change, entryBefore } = mirror.plan((planning) => plan(planning, nowMs));
    return { step, change, at: { pool, position, entryBefore, follows: false } };
  } catch (refused) {
    return { refused };
  }
}

/** Whether the commit script must run: for a change, for an outcome to record, and for calls of a leader, of another node, or that another node may carry out later. */
export function isWritten<T>({ change }: PlannedStep<T>, { script, ids, from, mayBeServed }: WriteCall<T>): boolean {
  return script === 'commitChain' || ids === 'ops' || from !== null || mayBeServed || change !== null;
}

/** The arguments of lua/priority/commit.lua. */
export function commitArguments<T>(
  { id, ids, verb, digest, fence, left, from }: WriteCall<T>,
  at: PlannedAt,
  { step, change, own }: PlannedStep<T> & { readonly own: Argument },
  stamp: string,
  turn: readonly Argument[],
  ticket: readonly Argument[],
): Argument[] {
  const record = ids === 'calls' && from === null ? noBytes : core.encodeOutcome(verb, step.outcome, digest);
  const head = [
    id,
    verb,
    ...fence,
    ...positionArguments(at.position),
    stamp,
    Buffer.concat([Buffer.from(stamp + gap), record]),
  ];
  const prolongs = step.chain === null ? '' : 'prolong';
  const gate = [step.gate?.acceptUntil ?? '', step.gate?.isClosed ? 'closed' : 'open'];
  const meets = at.follows ? 'follows' : left === null ? 'queues' : 'left';
  const intake = takesTurns ? [meets, ...(from ?? ['', ''])] : ['alone', ...ticket];
  if (change === null) return [...head, '', prolongs, '', ...turn, '', own, ...gate, ...intake, 0];
  const entries = core.encodeEntries(change.pool.entries);
  const { counts, parts } = eventParts(step.events);
  const { bodies, commands, idleTicks } = stepCommands(at, { step, entries, entryBefore: at.entryBefore });
  const changed = [core.encodeChange(change, entries), prolongs, idleTicks];
  return [
    ...head,
    ...changed,
    ...turn,
    counts,
    own,
    ...gate,
    ...intake,
    bodies.length,
    ...bodies,
    ...parts,
    ...commands.pack(),
  ];
}

/** The events, in parts for the entries of the stream. */
function eventParts(events: readonly core.StepEvent[]): { readonly counts: string; readonly parts: Buffer[] } {
  const counts: number[] = [];
  const parts: Buffer[] = [];
  for (let from = 0; from < events.length; from += mostEvents) {
    const part = from === 0 && events.length <= mostEvents ? events : events.slice(from, from + mostEvents);
    counts.push(part.length);
    parts.push(core.encodeEvents(part));
  }
  return { counts: counts.join(' '), parts };
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
