import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PutOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { finalError } from '../connection/connection.ts';
import { putArguments, readPut } from '../pool/named-record.ts';
import { Committer } from './committer.ts';
import { type CallId, isKnown, type MirrorSync } from './mirror-sync.ts';
import { recalled, type WriteCall } from './write-call.ts';

/** A node with a ticket writes within this share of it, as a rule. */
const share = 8;
const [shortestGapMs, longestGapMs] = [2, 20];

/** How long a node waits for another one's ticket before it looks again, and how long a node that had one leaves the pool to the rest. */
function gapOf(ticketMs: number): number {
  return Math.min(longestGapMs, Math.max(shortestGapMs, ticketMs / share));
}

/**
 * Runs the writing calls of a node, one after the other. It plans each on the mirror, and commits it if the pool is still at the mirror's
 * version. Otherwise it updates the mirror and plans the call again.
 */
export class PoolWriter {
  readonly #link: MirrorSync;
  readonly #line = new core.OrderedWriter();
  readonly #id: string;
  readonly #committer: Committer;
  #calls = 0;
  /** Whether others overtook the last call. */
  #isContended = false;
  #gapEndsAt = Number.NEGATIVE_INFINITY;
  #settled: Promise<unknown> = Promise.resolve();

  constructor(link: MirrorSync) {
    this.#link = link;
    this.#id = randomBytes(9).toString('base64');
    this.#committer = new Committer(link, this.#id);
  }

  /**
   * Resolves when all calls made until now have ended. A read after that sees their writes (M2). The value is the error of the last of
   * them, if it failed.
   */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  write<T>(verb: string, context: core.WriteContext, plan: core.Plan<T>): Promise<T> {
    const planned = { script: 'commit', verb, fence: ['', '', '', ''], plan } as const;
    return this.#run<T>(planned, context) as Promise<T>;
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
    const state = { sent: new Map(), refusals: 0, reloads: false };
    const call: WriteCall<T> = { ...planned, ...this.#callId(operationId), digest, signal, ...state };
    return this.#inTurn(signal, (deadline) => this.#carryOut(call, deadline));
  }

  /** Runs `putRecord` as one script, because records are not in the mirror. */
  putRecord(put: core.CheckedPut, context: core.ChainContext): Promise<PutOutcome> {
    const { digest, signal } = context;
    const { id, ids } = this.#callId(context.operationId);
    return this.#inTurn(signal, async (deadline) => {
      const own = this.#link.node.options.now?.() ?? '';
      const args = [id, 'putRecord', ...putArguments(put, context), own, Buffer.from(digest ?? [])];
      const reply = await this.#link.send('putRankedRecord', args, deadline, ids);
      if (!isKnown(reply)) return readPut(put, reply);
      return recalled<PutOutcome>({ verb: 'putRecord', digest, sent: new Map() }, reply[1]);
    });
  }

  #callId(operationId: string | undefined): CallId {
    this.#calls += 1;
    return operationId === undefined
      ? { id: `${this.#id}${this.#calls}`, ids: 'calls' }
      : { id: operationId, ids: 'ops' };
  }

  /** Runs a call after all earlier ones. */
  #inTurn<T>(signal: AbortSignal | undefined, attempt: (deadline: number) => Promise<T>): Promise<T> {
    const { timeoutMs, clock } = this.#link.node.options;
    const attempts = this.#line.run({ timeoutMs, clock, signal }, (remainingMs) => {
      // One at a time, because the next call is planned on this one's result.
      this.#line.distrust();
      return attempt(clock() + remainingMs);
    });
    const running = attempts.catch((error: unknown) => Promise.reject(finalError(error)));
    const before = this.#settled;
    this.#settled = running.then(
      () => before.then(() => undefined),
      (error: unknown) => before.then(() => error),
    );
    return running;
  }

  /** A node that others overtook takes the ticket for its next call at once, and leaves the pool to them for a moment after that. */
  async #carryOut<T>(call: WriteCall<T>, deadline: number): Promise<T | core.FencedOutcome> {
    const { clock } = this.#link.node.options;
    const gapMs = this.#gapEndsAt - clock();
    if (gapMs > 0) await pause(gapMs);
    if (this.#isContended) call.refusals += 1;
    const { refusals } = call;
    try {
      return await this.#repeat(call, deadline);
    } finally {
      this.#isContended = call.refusals > refusals;
      if (this.#isContended) this.#gapEndsAt = clock() + gapOf(this.#committer.ticketMs);
    }
  }

  /** Repeats until the outcome of the call is known. A plan on an old mirror is not final, unless it is committed. */
  async #repeat<T>(call: WriteCall<T>, deadline: number): Promise<T | core.FencedOutcome> {
    let isCurrent = false;
    for (let mustBeCurrent = this.#link.mayBeOld; ; mustBeCurrent = true) {
      if (mustBeCurrent && !isCurrent) {
        const known = await this.#catchUp(call, deadline);
        if (known !== null) return recalled(call, known);
        isCurrent = true;
      }
      throwIfAborted(call);
      const tried = await this.#committer.attempt(call, deadline);
      switch (tried.kind) {
        case 'done':
          return tried.outcome;
        case 'unwritten':
          if (isCurrent) return tried.outcome;
          break;
        case 'refused':
          if (isCurrent) throw tried.error;
          break;
        case 'behind':
          ({ isCurrent } = tried);
          break;
        case 'blocked':
          isCurrent = false;
          break;
      }
    }
  }

  /** Updates the mirror as soon as no other node has a ticket. Returns the record of the call if it was carried out before. */
  async #catchUp(call: WriteCall<unknown>, deadline: number): Promise<Buffer | null> {
    for (;;) {
      let found = await this.#link.catchUp(call, this.#committer.ticketArguments(call), deadline);
      // A read found the record. It is an answer only when enough replicas have it.
      if (found.kind === 'known') found = await this.#link.catchUp(call, [], deadline, 'syncWrites');
      if (found.kind === 'known') return found.record;
      if (found.kind === 'current') return null;
      call.refusals += 1;
      await pause(gapOf(found.ms));
      throwIfAborted(call);
    }
  }
}

/** A signal ends a call that was not carried out for certain (R3). */
function throwIfAborted({ sent, signal }: WriteCall<unknown>): void {
  if (sent.size === 0) signal?.throwIfAborted();
}
