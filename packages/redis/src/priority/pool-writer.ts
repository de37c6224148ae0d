import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DumpedPart,
  isMempoolError,
  MempoolError,
  type MempoolErrorCode,
  type PutOutcome,
  type ReceiveOutcome,
  type RestoreOutcome,
} from 'mempool-core';
import * as core from 'mempool-core/backend';
import { finalError } from '../connection/connection.ts';
import { within } from '../connection/settling.ts';
import { putArguments, readPut } from '../pool/named-record.ts';
import { prepareRestore, readRestored } from '../pool/restore.ts';
import { CallServer } from './call-server.ts';
import { type Attempt, Committer, type More } from './committer.ts';
import { Intake, type LeftCall, largestRecord } from './intake.ts';
import { type CallId, isKnown, type MirrorSync, positionArguments, tooLate } from './mirror-sync.ts';
import { recalled, takesTurns, type WriteCall } from './write-call.ts';

const longestPauseMs = 20;

/** How long a node waits for another one's ticket before it looks again, and how long one that won leaves the pool to the others. */
function gapOf(ticketMs: number): number {
  return Math.min(20, Math.max(2, ticketMs / 8));
}

/** How long a call that was left to another node waits before it looks whether that node is still there. */
const patienceMs = 50;
/** How long after another node had the turn a call is left to it at once, without an attempt. */
const recentMs = 20;

/** Errors that hold whoever carries out the call. */
const lasting: readonly MempoolErrorCode[] = ['ERR_MEMPOOL_INVALID', 'ERR_MEMPOOL_CORRUPT'];

/**
 * Runs the writing calls of a node, one after the other. It plans each on the mirror, and commits it if the pool is still at the mirror's
 * version. Otherwise it updates the mirror and plans the call again. A `receive` that meets another node's turn is left to that node.
 */
export class PoolWriter {
  readonly #link: MirrorSync;
  readonly #line = new core.OrderedWriter();
  readonly #id: string;
  /** A node with a clock of its own, or which waits for replicas, leaves no calls to others and plans none of theirs. */
  readonly #sharesCalls: boolean;
  readonly #committer: Committer;
  readonly #intake: Intake;
  readonly #server: CallServer;
  #calls = 0;
  /** Whether others were in the way of the last call. */
  #isContended = false;
  #gapEndsAt = Number.NEGATIVE_INFINITY;
  /** When another node had the turn. */
  #othersAt = Number.NEGATIVE_INFINITY;
  /** Calls that have not ended. */
  #open = 0;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(link: MirrorSync) {
    this.#link = link;
    const { now, minReplicas = 0 } = link.node.options;
    this.#sharesCalls = now === null && minReplicas === 0;
    this.#id = `${randomBytes(9).toString('base64')}${this.#sharesCalls ? '~' : ''}`;
    this.#committer = new Committer(link, this.#id);
    this.#intake = new Intake(link.node, this.#id);
    this.#server = new CallServer(link, this.#committer, this.#intake, this.#id, () => this.#open > 0);
  }

  /** Resolves when all calls made until now have ended, with or without an error. A read after that sees their writes (M2). */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  /** Passes the node's turn on. */
  async close(): Promise<void> {
    await this.#server.close();
    this.#intake.close();
  }

  write<T>(verb: string, context: core.WriteContext, plan: core.Plan<T>): Promise<T> {
    const planned = { script: 'commit', verb, fence: ['', '', '', ''], plan, left: null } as const;
    return this.#run<T>(planned, context) as Promise<T>;
  }

  admit(admission: core.ReceiveCall, context: core.WriteContext): Promise<ReceiveOutcome[]> {
    const plan = core.receivePlan(admission);
    const left = this.#sharesCalls ? admission : null;
    const planned = { script: 'commit', verb: 'receive', fence: ['', '', '', ''], plan, left } as const;
    return this.#run(planned, context) as Promise<ReceiveOutcome[]>;
  }

  writeUnderLease<T>(verb: string, context: core.ChainContext, plan: core.Plan<T>): Promise<T | core.FencedOutcome> {
    const { lease } = context;
    const demanded = this.#link.node.options.fenced ? 'demanded' : '';
    const held = lease === null ? ['', '', ''] : [lease.nodeId, lease.token, String(lease.term)];
    return this.#run<T>({ script: 'commitChain', verb, fence: [...held, demanded], plan, left: null }, context);
  }

  #run<T>(
    planned: Pick<WriteCall<T>, 'script' | 'verb' | 'fence' | 'plan' | 'left'>,
    { operationId, digest, signal }: core.WriteContext,
  ): Promise<T | core.FencedOutcome> {
    const state = {
      sent: new Map(),
      needMs: 0,
      wasLeft: false,
      mayBeServed: false,
      refusals: 0,
      reloads: false,
      from: null,
    };
    const call: WriteCall<T> = { ...planned, ...this.#callId(operationId), digest, signal, ...state };
    return this.#inTurn(signal, (deadline) =>
      (takesTurns ? this.#attempt(call, deadline) : this.#commit(call, deadline)).catch((error) =>
        rethrow(error, call),
      ),
    );
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

  /** Repeats until the outcome of the call is known. What is planned on an old mirror is not final, unless it is committed. */
  async #commit<T>(call: WriteCall<T>, deadline: number): Promise<T | core.FencedOutcome> {
    const gapMs = this.#gapEndsAt - this.#link.node.options.clock();
    if (gapMs > 0) await pause(gapMs);
    if (this.#isContended) call.refusals = 1;
    this.#isContended = false;
    for (let [isCurrent, mustBeCurrent] = [false, this.#link.mayBeOld]; ; mustBeCurrent = true) {
      if (call.sent.size === 0) call.signal?.throwIfAborted();
      if (mustBeCurrent && !isCurrent) {
        const found = await this.#link.catchUp(call, this.#committer.ticket(call), deadline);
        if (found.kind === 'known') {
          // A read found the record. It is an answer only when enough replicas have it.
          const known = await this.#link.recall(call, deadline, 'syncWrites');
          if (Buffer.isBuffer(known)) return recalled(call, known);
        }
        if (found.kind === 'blocked') {
          call.refusals += 1;
          this.#isContended = true;
          await pause(gapOf(found.ms));
          continue;
        }
        isCurrent = true;
      }
      const tried = await this.#committer.attempt(call, () => '', deadline);
      switch (tried.kind) {
        case 'done':
          if (this.#isContended) this.#gapEndsAt = this.#link.node.options.clock() + gapOf(20 + 2 * call.needMs);
          return tried.outcome;
        case 'refused':
          if (isCurrent) throw tried.error;
          break;
        case 'unwritten':
          if (isCurrent) return tried.outcome;
          break;
        case 'behind':
          this.#isContended = true;
          ({ isCurrent } = tried);
          break;
        case 'blocked':
          this.#isContended = true;
          isCurrent = false;
          break;
      }
    }
  }

  /** Repeats until the outcome of the call is known. */
  async #attempt<T>(call: WriteCall<T>, deadline: number): Promise<T | core.FencedOutcome> {
    for (let isCurrent = false; ; ) {
      const left = await this.#leave(call, deadline);
      if (left !== null) return recalled(call, left);
      const attempt = () => this.#committer.attempt(call, () => this.#more(), deadline);
      const tried = (await this.#amongOthers(call, deadline)) ?? (await this.#committer.inOrder(attempt));
      if (tried.kind === 'done') {
        this.#server.begin();
        return tried.outcome;
      }
      if (tried.kind === 'behind') {
        isCurrent = false;
        if (tried.before > 0) await this.#wait(call, tried.before, deadline);
      } else if (isCurrent && tried.kind !== 'blocked') {
        if (tried.kind === 'refused') throw tried.error;
        return tried.outcome;
      } else {
        let known = await this.#link.recall(call, deadline);
        // A read found the record. It is an answer only when enough replicas have it.
        if (Buffer.isBuffer(known)) known = await this.#link.recall(call, deadline, 'syncWrites');
        if (Buffer.isBuffer(known)) return recalled(call, known);
        isCurrent = true;
      }
    }
  }

  #more(): More {
    if (this.#sharesCalls && this.#server.canServe) return 'serves';
    return this.#open > 1 ? 'more' : '';
  }

  /** What became of the call at a node to which others leave theirs; `null` if it is to be committed alone. */
  async #amongOthers<T>(call: WriteCall<T>, deadline: number): Promise<Attempt<T> | null> {
    if (!this.#server.isServing) return null;
    if (!this.#intake.isOpen) await this.#openIntake(deadline).catch(() => undefined);
    return this.#server.ownTurn(call, deadline);
  }

  #openIntake(deadline: number): Promise<unknown> {
    const halfMs = Math.max(1, (deadline - this.#link.node.options.clock()) / 2);
    return within(this.#intake.open(), halfMs, tooLate());
  }

  /** It is another node's turn: a call that may be left to it will be. */
  #wait<T>(call: WriteCall<T>, before: number, deadline: number): Promise<void> | undefined {
    this.#othersAt = this.#link.node.options.clock();
    return call.left === null ? this.#waitTurn(call, before, deadline) : undefined;
  }

  /** Leaves a call to the node whose turn it is. Returns the record of its outcome; `null` if this node has to carry it out. */
  async #leave<T>(call: WriteCall<T>, deadline: number): Promise<Buffer | null> {
    const { clock } = this.#link.node.options;
    if (call.left === null || this.#server.isServing || clock() > this.#othersAt + recentMs) return null;
    const record = core.encodeReceiveCall(call.left, call);
    if (record.length > largestRecord) {
      call.left = null;
      return null;
    }
    call.signal?.throwIfAborted();
    const before = [call.wasLeft, call.mayBeServed] as const;
    [call.wasLeft, call.mayBeServed] = [true, true];
    const answer = await this.#answer({ id: call.id, ids: call.ids, record }, deadline).catch((error) => {
      // A server that refuses the call, because it is full, does not have it.
      if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) [call.wasLeft, call.mayBeServed] = before;
      return null;
    });
    if (answer !== null && answer.length > 0) {
      this.#othersAt = clock();
      return answer;
    }
    call.left = null;
    return null;
  }

  async #answer(left: Pick<LeftCall, 'id' | 'ids' | 'record'>, deadline: number): Promise<Buffer | null> {
    const { clock } = this.#link.node.options;
    const giveUpAt = (clock() + deadline) / 2;
    if (!this.#intake.isOpen) await this.#openIntake(deadline);
    const waitMs = (): number => Math.min(patienceMs, deadline - clock());
    for (let isLeft = false; clock() < giveUpAt; isLeft = true) {
      const found = await (isLeft
        ? this.#intake.answer(left.id, waitMs())
        : this.#intake.leave(left, deadline - clock(), waitMs()));
      if (found !== null) return found;
      const mirror = await this.#link.mirror(deadline);
      const { position } = mirror;
      const args = [left.id, ...positionArguments(position), this.#id, 0, 'left', ''];
      const report = await this.#link.send('turn', args, deadline, left.ids);
      if (isKnown(report)) return report[1];
      await this.#link.follow(mirror, position, report, deadline);
      if (report[5] === 0) return null;
    }
    return null;
  }

  /** Nodes whose commits conflicted write in turn. Otherwise the fastest node could always win. */
  async #waitTurn<T>({ signal, sent, wasLeft, needMs }: WriteCall<T>, before: number, deadline: number): Promise<void> {
    const { clock } = this.#link.node.options;
    for (let others = before; others > 0; ) {
      await pause(Math.min(longestPauseMs, others));
      if (sent.size === 0 && !wasLeft) signal?.throwIfAborted();
      if (clock() >= deadline) throw tooLate();
      const mirror = await this.#link.mirror(deadline);
      const { position } = mirror;
      const args = ['', ...positionArguments(position), this.#id, Math.ceil(needMs), 'queues', ''];
      const report = await this.#link.send('turn', args, deadline);
      if (isKnown(report)) return;
      await this.#link.follow(mirror, position, report, deadline);
      others = report[5];
    }
  }
}

/** Another node may have carried out a call that was left to it: whatever comes then, its outcome is unknown (X5). */
function rethrow(error: unknown, call: WriteCall<unknown>): never {
  if (!call.wasLeft || !isMempoolError(error) || lasting.includes(error.code)) throw error;
  // Told once: the attempts after it count as those of a call that was sent.
  call.wasLeft = false;
  throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', error.message, { cause: error });
}
