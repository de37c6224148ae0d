import { randomBytes } from 'node:crypto';
import * as core from 'mempool-core';
import type { Argument } from '../connection.ts';
import { readPoint } from '../record.ts';
import type { MirrorReport } from '../script.ts';
import type { Mirror } from './mirror.ts';
import { type CallId, isKnown, type MirrorLink, markArguments } from './mirror-link.ts';
import { Packed } from './packed.ts';
import { stepCommands } from './step-commands.ts';

export type Plan<T> = (pool: core.Planning, nowMs: number) => core.Step<T>;
type Fenced = Extract<core.ConfirmOutcome & core.RollbackOutcome, { readonly kind: 'fenced' }>;
type Outcome<T> = { readonly outcome: T };

/** Events to an entry of the stream at the most. */
const mostEvents = 1_000;

/** One writing call, over all its attempts. */
interface Call<T> extends CallId {
  readonly script: 'commit' | 'commitChain';
  readonly verb: string;
  readonly fence: readonly Argument[];
  readonly plan: Plan<T>;
  /** What attempts that may have been carried out came to, by their stamps: what a call of our own id has for a record. */
  readonly sent: Map<string, T>;
}

/**
 * The writing calls of a node, one after the other: each is planned on the mirror and written where the pool is still as it was planned
 * on, else planned again on what the others wrote.
 */
export class PoolWriter {
  readonly #link: MirrorLink;
  readonly #line = new core.WriteLine();
  readonly #id: string = randomBytes(9).toString('base64');
  #calls = 0;
  #stamps = 0;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(link: MirrorLink) {
    this.#link = link;
  }

  /** Resolves when all calls made until now have ended, one way or the other: what reads behind them sees them (M2). */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  write<T>(verb: string, context: core.WriteContext, plan: Plan<T>): Promise<T> {
    return this.#run<T>({ script: 'commit', verb, fence: ['', '', '', ''], plan }, context) as Promise<T>;
  }

  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: Plan<T>): Promise<T | Fenced> {
    const { lease } = context;
    const demanded = this.#link.node.options.fenced ? 'demanded' : '';
    const held = lease === null ? ['', '', ''] : [lease.nodeId, lease.token, String(lease.term)];
    return this.#run<T>({ script: 'commitChain', verb, fence: [...held, demanded], plan }, context);
  }

  #run<T>(
    planned: Pick<Call<T>, 'script' | 'verb' | 'fence' | 'plan'>,
    { operationId, signal }: core.WriteContext,
  ): Promise<T | Fenced> {
    const { timeoutMs, clock } = this.#link.node.options;
    this.#calls += 1;
    const id = operationId ?? `${this.#id}${this.#calls}`;
    const call: Call<T> = { ...planned, id, ids: operationId === undefined ? 'calls' : 'ops', sent: new Map() };
    const running = this.#line.run({ timeoutMs, clock, signal }, (remainingMs) => {
      // One at a time: the next is planned on what this one writes.
      this.#line.distrust();
      return this.#attempt(call, clock() + remainingMs);
    });
    const before = this.#settled;
    const end = () => before;
    this.#settled = running.then(end, end);
    return running;
  }

  /** Until it is decided what came of the call. */
  async #attempt<T>(call: Call<T>, deadline: number): Promise<T | Fenced> {
    for (let isCurrent = false; ; ) {
      const mirror = await this.#link.mirror(deadline);
      const planned = planOn(mirror, call, this.#link.clock.now());
      if ('step' in planned && isWritten(planned.step, mirror, call)) {
        const answer = await this.#commit(call, mirror, planned.step, deadline);
        if (answer !== null) return answer.outcome;
        isCurrent = false;
      } else if (isCurrent) {
        if ('refused' in planned) throw planned.refused;
        return planned.step.outcome;
      } else {
        const known = await this.#link.recall(call, deadline);
        if (Buffer.isBuffer(known)) return recalled(call, known);
        isCurrent = true;
      }
    }
  }

  /** `null` where the pool is not at the mirror's version any more; the mirror then is nearer to it. */
  async #commit<T>(
    call: Call<T>,
    mirror: Mirror,
    step: core.Step<T>,
    deadline: number,
  ): Promise<Outcome<T | Fenced> | null> {
    const { mark } = mirror;
    this.#stamps += 1;
    const stamp = `${this.#id}.${this.#stamps}`;
    const change = changeOf(mirror, step);
    call.sent.set(stamp, step.outcome);
    const args = commitArguments(call, mirror, step, stamp, change);
    const reply = await this.#link.send(call.script, args, deadline, call.ids);
    if (isKnown(reply)) return { outcome: recalled(call, reply[1]) };
    switch (String(reply[0])) {
      case 'done':
        if (change !== null) mirror.follow(mark, [change], stamp);
        return { outcome: step.outcome };
      case 'fenced':
        return { outcome: fencedOutcome(reply) };
      default:
        call.sent.delete(stamp);
        await this.#link.follow(mirror, mark, reply as MirrorReport, deadline);
        return null;
    }
  }
}

type Planned<T> = { readonly step: core.Step<T> } | { readonly refused: unknown };

/** A plan may refuse the call; on a mirror that is behind that says nothing yet. */
function planOn<T>({ pool }: Mirror, { plan }: Call<T>, nowMs: number): Planned<T> {
  try {
    return { step: pool.plan((planning) => plan(planning, nowMs)) };
  } catch (refused) {
    return { refused };
  }
}

/** Whether the script has anything to do: what changes nothing is only looked at, unless it is to be recorded or fenced. */
function isWritten<T>(step: core.Step<T>, mirror: Mirror, { script, ids }: Call<T>): boolean {
  return script === 'commitChain' || ids === 'ops' || changeOf(mirror, step) !== null;
}

/** What other mirrors need to know; `null` where that is nothing. */
function changeOf({ pool: { ledger } }: Mirror, step: core.Step<unknown>): core.PoolChange | null {
  const { events, pool } = step;
  if (pool === undefined || pool === null) return null;
  const { entries, satisfied, forgotten, limits } = pool;
  const isSame = [events, entries, satisfied, forgotten].every(({ length }) => length === 0) && limits === null;
  return isSame ? null : core.changeOfStep(step, ledger.lastEventSeq + events.length);
}

/** For lua/commit.lua. */
function commitArguments<T>(
  { id, ids, verb, fence }: Call<T>,
  mirror: Mirror,
  step: core.Step<T>,
  stamp: string,
  change: core.PoolChange | null,
): Argument[] {
  const record = ids === 'calls' ? stamp : core.recorded(step, verb, id).operation?.record;
  const head = [id, verb, ...fence, ...markArguments(mirror.mark), stamp, bufferOf(record ?? '')];
  const prolongs = step.chain === null ? '' : 'prolong';
  if (change === null) return [...head, '', prolongs, '', packEvents([])];
  const { commands, idleTicks } = stepCommands(mirror, step);
  return [...head, core.encodeChange(change), prolongs, idleTicks, packEvents(step.events), ...commands.pack()];
}

function packEvents(events: readonly core.StoreEvent[]): Buffer {
  const packed = new Packed();
  let lists = 0;
  for (let from = 0; from < events.length; from += mostEvents, lists += 1) {
    const part = events.slice(from, from + mostEvents);
    packed.array(2);
    packed.item(part.length);
    packed.item(core.encodeEvents(part));
  }
  return packed.take(lists);
}

function bufferOf(record: Uint8Array | string): Argument {
  return typeof record === 'string' ? record : Buffer.from(record.buffer, record.byteOffset, record.length);
}

function fencedOutcome([, point, tick]: readonly unknown[]): Fenced {
  return { kind: 'fenced', tip: { point: readPoint(point as Buffer), tick: tick as number } };
}

/** A call of our own id has its stamp for a record: the outcome is here. */
function recalled<T>({ verb, ids, sent }: Call<T>, record: Buffer): T {
  if (ids === 'ops') return core.decodeOutcome<T>(verb, record);
  return sent.get(String(record)) as T;
}
