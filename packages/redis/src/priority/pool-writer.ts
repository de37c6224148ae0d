import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DumpedPart, PutOutcome, RestoreOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { finalError } from '../connection/connection.ts';
import type { MirrorReport } from '../connection/script.ts';
import type { Argument } from '../connection/script-call.ts';
import { putArguments, readPut } from '../pool/named-record.ts';
import { type Item, packLists } from '../pool/packed.ts';
import { readPoint } from '../pool/record.ts';
import { prepareRestore, readRestored } from '../pool/restore.ts';
import { type CallId, isKnown, type MirrorSync, positionArguments, tooLate } from './mirror-sync.ts';
import { stepCommands } from './step-commands.ts';

type Outcome<T> = { readonly outcome: T };

const longestPauseMs = 20;
/** Separates stamp and outcome in the record of an id. */
const gap = ' ';
const noBytes = Buffer.alloc(0);
/** Maximum number of events in one entry of the stream. */
const mostEvents = 1_000;

/** One writing call, over all its attempts. */
interface WriteCall<T> extends CallId {
  readonly script: 'commit' | 'commitChain';
  readonly verb: string;
  readonly fence: readonly Argument[];
  readonly plan: core.Plan<T>;
  readonly digest: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** Outcomes of the attempts that may have taken effect, by their stamps. */
  readonly sent: Map<string, T>;
  /** The longest time of an attempt, from plan to answer. A turn must be that long. */
  needMs: number;
}

/**
 * Runs the writing calls of a node, one after the other. It plans each on the mirror, and commits it if the pool is still at the
 * mirror's version. Otherwise it updates the mirror and plans the call again.
 */
export class PoolWriter {
  readonly #link: MirrorSync;
  readonly #line = new core.OrderedWriter();
  readonly #id: string = randomBytes(9).toString('base64');
  #calls = 0;
  #stamps = 0;
  /** Calls that have not ended. */
  #open = 0;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(link: MirrorSync) {
    this.#link = link;
  }

  /** Resolves when all calls made until now have ended, with or without an error. A read after that sees their writes (M2). */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  write<T>(verb: string, context: core.WriteContext, plan: core.Plan<T>): Promise<T> {
    return this.#run<T>({ script: 'commit', verb, fence: ['', '', '', ''], plan }, context) as Promise<T>;
  }

  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: core.Plan<T>): Promise<T | core.FencedOutcome> {
    const { lease } = context;
    const demanded = this.#link.node.options.fenced ? 'demanded' : '';
    const held = lease === null ? ['', '', ''] : [lease.nodeId, lease.token, String(lease.term)];
    return this.#run<T>({ script: 'commitChain', verb, fence: [...held, demanded], plan }, context);
  }

  #run<T>(
    planned: Pick<WriteCall<T>, 'script' | 'verb' | 'fence' | 'plan'>,
    { operationId, digest, signal }: core.WriteContext,
  ): Promise<T | core.FencedOutcome> {
    const call: WriteCall<T> = { ...planned, ...this.#callId(operationId), digest, signal, sent: new Map(), needMs: 0 };
    return this.#inTurn(signal, (deadline) => this.#attempt(call, deadline));
  }

  /** Runs `putRecord` as one script, because records are not in the mirror. */
  putRecord(put: core.CheckedPut, context: core.ChainContext): Promise<PutOutcome> {
    const { digest, signal } = context;
    const { id, ids } = this.#callId(context.operationId);
    return this.#inTurn(signal, async (deadline) => {
      const args = [id, 'putRecord', ...putArguments(put, context), Buffer.from(digest ?? [])];
      const reply = await this.#link.send('putRankedRecord', args, deadline, ids);
      if (!isKnown(reply)) return readPut(put, reply);
      return recalled<PutOutcome>({ verb: 'putRecord', digest, sent: new Map() }, reply[1]);
    });
  }

  /** Restores a content (D3). Later calls reload the mirror, because no stored changes lead to the pool's new version. */
  restore(content: readonly DumpedPart[], context: core.WriteContext): Promise<RestoreOutcome> {
    const { digest, signal } = context;
    const { id, ids } = this.#callId(context.operationId);
    const { timeoutMs, clock } = this.#link.node.options;
    // A large pool takes longer than one script may.
    const deadline = (): number => clock() + timeoutMs;
    return this.#inTurn(signal, async () => {
      const args = await prepareRestore('priority', content, (part) => this.#link.sendPart(part, deadline()));
      const reply = await this.#link.send(
        'restoreRanked',
        [id, 'restore', ...args, Buffer.from(digest ?? [])],
        deadline(),
        ids,
      );
      if (!isKnown(reply)) return readRestored(reply[0]);
      return recalled<RestoreOutcome>({ verb: 'restore', digest, sent: new Map() }, reply[1]);
    });
  }

  #callId(operationId: string | undefined): CallId {
    this.#calls += 1;
    return operationId === undefined
      ? { id: `${this.#id}${this.#calls}`, ids: 'calls' }
      : { id: operationId, ids: 'ops' };
  }

  /** Runs a call behind those made before. */
  #inTurn<T>(signal: AbortSignal | undefined, attempt: (deadline: number) => Promise<T>): Promise<T> {
    const { timeoutMs, clock } = this.#link.node.options;
    const attempts = this.#line.run({ timeoutMs, clock, signal }, (remainingMs) => {
      // One at a time, because the next call is planned on this one's result.
      this.#line.distrust();
      return attempt(clock() + remainingMs);
    });
    const running = attempts.catch((error: unknown) => Promise.reject(finalError(error)));
    const before = this.#settled;
    this.#open += 1;
    const end = () => {
      this.#open -= 1;
      return before;
    };
    this.#settled = running.then(end, end);
    return running;
  }

  /** Repeats until the outcome of the call is known. */
  async #attempt<T>(call: WriteCall<T>, deadline: number): Promise<T | core.FencedOutcome> {
    const { clock } = this.#link.node.options;
    for (let isCurrent = false; ; ) {
      const mirror = await this.#link.mirror(deadline);
      const begunMs = clock();
      if (begunMs >= deadline) throw tooLate();
      const planned = planOn(mirror, call, this.#link.clock.now());
      if ('step' in planned && isWritten(planned, call)) {
        const answer = await this.#commit(call, mirror, { ...planned, begunMs }, deadline);
        if (answer !== null) return answer.outcome;
        isCurrent = false;
      } else if (isCurrent) {
        if ('refused' in planned) throw planned.refused;
        return planned.step.outcome;
      } else {
        let known = await this.#link.recall(call, deadline);
        // A read found the record. It is an answer only when enough replicas have it.
        if (Buffer.isBuffer(known)) known = await this.#link.recall(call, deadline, 'syncWrites');
        if (Buffer.isBuffer(known)) return recalled(call, known);
        isCurrent = true;
      }
    }
  }

  /** `null` if the pool was not at the mirror's version; then the mirror has caught up, at least in part. */
  async #commit<T>(
    call: WriteCall<T>,
    mirror: core.MirroredPool,
    { step, change, begunMs }: PlannedStep<T> & { readonly begunMs: number },
    deadline: number,
  ): Promise<Outcome<T | core.FencedOutcome> | null> {
    const { position } = mirror;
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    call.sent.set(stamp, step.outcome);
    const { clock } = this.#link.node.options;
    const turn = [this.#id, Math.ceil(Math.max(call.needMs, clock() - begunMs)), this.#open > 1 ? 'more' : ''];
    const own = this.#link.node.options.now?.() ?? '';
    const args = commitArguments(call, mirror, { step, change, own }, stamp, turn);
    const reply = await this.#link.send(call.script, args, deadline, call.ids);
    call.needMs = Math.max(call.needMs, clock() - begunMs);
    if (isKnown(reply)) return { outcome: recalled(call, reply[1]) };
    switch (String(reply[0])) {
      case 'done':
        this.#link.learnTime(reply as MirrorReport);
        if (change !== null) mirror.applyOwn(position, { ...change, at: Number(reply[6]) }, stamp);
        return { outcome: step.outcome };
      case 'fenced':
        return { outcome: fencedOutcome(reply) };
      default:
        call.sent.delete(stamp);
        await this.#link.follow(mirror, position, reply as MirrorReport, deadline);
        await this.#waitTurn(call, (reply as MirrorReport)[5], deadline);
        return null;
    }
  }

  /** Nodes whose commits conflicted write in turn. Otherwise the fastest node could always win. */
  async #waitTurn<T>({ signal, sent, needMs }: WriteCall<T>, before: number, deadline: number): Promise<void> {
    const { clock } = this.#link.node.options;
    for (let others = before; others > 0; ) {
      await pause(Math.min(longestPauseMs, others));
      if (sent.size === 0) signal?.throwIfAborted();
      if (clock() >= deadline) throw tooLate();
      const mirror = await this.#link.mirror(deadline);
      const { position } = mirror;
      const report = await this.#link.send(
        'turn',
        [this.#id, ...positionArguments(position), Math.ceil(needMs)],
        deadline,
      );
      await this.#link.follow(mirror, position, report, deadline);
      others = report[5];
    }
  }
}

interface PlannedStep<T> {
  readonly step: core.Step<T>;
  /** The change for the mirrors of other nodes; `null` if there is none. */
  readonly change: core.PoolChange | null;
}
type Planned<T> = PlannedStep<T> | { readonly refused: unknown };

/** A plan may refuse the call. On a mirror that is behind, that is not final. */
function planOn<T>(mirror: core.MirroredPool, { plan }: WriteCall<T>, nowMs: number): Planned<T> {
  try {
    return mirror.plan((pool) => plan(pool, nowMs));
  } catch (refused) {
    return { refused };
  }
}

/** Whether the commit script must run: for a change, for an outcome to record, and for calls of a leader. */
function isWritten<T>({ change }: PlannedStep<T>, { script, ids }: WriteCall<T>): boolean {
  return script === 'commitChain' || ids === 'ops' || change !== null;
}

/** The arguments of lua/priority/commit.lua. */
function commitArguments<T>(
  { id, ids, verb, digest, fence }: WriteCall<T>,
  mirror: core.MirroredPool,
  { step, change, own }: PlannedStep<T> & { readonly own: Argument },
  stamp: string,
  turn: readonly Argument[],
): Argument[] {
  const record = ids === 'calls' ? noBytes : core.encodeOutcome(verb, step.outcome, digest);
  const head = [
    id,
    verb,
    ...fence,
    ...positionArguments(mirror.position),
    stamp,
    Buffer.concat([Buffer.from(stamp + gap), record]),
  ];
  const prolongs = step.chain === null ? '' : 'prolong';
  const gate = [step.gate?.acceptUntil ?? '', step.gate?.isClosed ? 'closed' : 'open'];
  if (change === null) return [...head, '', prolongs, '', ...turn, packEvents([]), own, ...gate, 0];
  const entries = change.pool.entries.map(core.encodeEntry);
  const { bodies, commands, idleTicks } = stepCommands(mirror, step, entries);
  const changed = [core.encodeChange(change, entries), prolongs, idleTicks];
  return [
    ...head,
    ...changed,
    ...turn,
    packEvents(step.events),
    own,
    ...gate,
    bodies.length,
    ...bodies,
    ...commands.pack(),
  ];
}

function packEvents(events: readonly core.StepEvent[]): Buffer {
  const lists: Item[][] = [];
  for (let from = 0; from < events.length; from += mostEvents) {
    const part = events.slice(from, from + mostEvents);
    lists.push([part.length, core.encodeEvents(part)]);
  }
  return packLists(lists);
}

function fencedOutcome([, point, tick]: readonly unknown[]): core.FencedOutcome {
  return { kind: 'fenced', tip: { point: readPoint(point as Buffer), tick: tick as number } };
}

/** The outcome of an attempt of this very call is still in memory, complete. An earlier call's outcome comes from its record. */
function recalled<T>({ verb, digest, sent }: Pick<WriteCall<T>, 'verb' | 'digest' | 'sent'>, record: Buffer): T {
  const end = record.indexOf(gap);
  const own = sent.get(record.toString('latin1', 0, end));
  return own === undefined ? core.decodeOutcome<T>(verb, record.subarray(end + 1), digest) : own;
}
