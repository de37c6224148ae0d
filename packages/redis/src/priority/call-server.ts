import type { ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Attempt, Committer } from './committer.ts';
import type { Intake, LeftCall } from './intake.ts';
import { isKnown, type MirrorSync, positionArguments } from './mirror-sync.ts';
import type { WriteCall } from './write-call.ts';

/** How long a node keeps its turn while no other node leaves a call. */
const lingerMs = 20;
/** A node that writes nothing itself for so long does not serve a single other node: that is quicker without it. */
const mostIdleMs = 50;
/** How long a node's own call waits for the calls of the nodes that it has just answered, so that all come to their turn. */
const courtesyMs = 2;
const mostCourtesyMs = 20;
/** How long it waits for a node whose call came together with the others the last time. */
const gatherMs = 1;
/** It does not wait with calls so large that planning them takes longer. */
const largeBytes = 16 * 1024;
/** How many transactions the calls have that are planned without a pause, of less than 20 ms. */
const mostAtOnce = 800;
/** The same of the node's own call, if it goes with them. */
const mostOwn = 128;
/** How long a node that could not serve does not try again. */
const brokenMs = 1_000;

/** While a node has the turn, it plans and commits the calls that other nodes leave for it. If it is stopped at any moment, they help themselves. */
export class CallServer {
  readonly #link: MirrorSync;
  readonly #committer: Committer;
  readonly #intake: Intake;
  readonly #id: string;
  #isServing = false;
  #isClosed = false;
  /** How many calls were served since this node's last own call. */
  #served = 0;
  /** When each node was served last, of those that may come again. */
  readonly #nodes = new Map<string, number>();
  /** The node's own call that waits for its turn. */
  #own: OwnCall | null = null;
  #busyAt = 0;
  /** The nodes whose calls were found together the last time. */
  #together: ReadonlySet<string> = new Set();
  #brokenAt = Number.NEGATIVE_INFINITY;
  #roundAt = 0;
  #roundMs = 0;
  #client = '';
  readonly #isBusy: () => boolean;

  /** `isBusy`: whether this node has calls of its own. */
  constructor(link: MirrorSync, committer: Committer, intake: Intake, id: string, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#link = link;
    this.#committer = committer;
    this.#intake = intake;
    this.#id = id;
  }

  get isServing(): boolean {
    return this.#isServing;
  }

  get canServe(): boolean {
    return this.#link.node.options.clock() > this.#brokenAt + brokenMs;
  }

  /** Begins to serve, if this node has the turn. */
  begin(): void {
    if (this.#isServing || this.#isClosed || !this.#committer.hasTurn) return;
    this.#isServing = true;
    this.#serve()
      .catch(() => this.#stop())
      .finally(() => {
        this.#isServing = false;
        this.#nodes.clear();
        this.#own?.end(null);
      });
  }

  async #stop(): Promise<void> {
    this.#brokenAt = this.#link.node.options.clock();
    // If that fails, the nodes that wait find out.
    await this.#end(true).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isServing) await this.#end(true).catch(() => undefined);
  }

  /**
   * Resolves when as many calls were served as nodes leave some, or when they take their time. Returns what became of the call if it was
   * carried out together with those of the others; else `null`.
   */
  async ownTurn<T>(call: WriteCall<T>, deadline: number): Promise<Attempt<T> | null> {
    if (!this.#isServing) return null;
    const tried = this.#isRound() ? null : await this.#wait(call, deadline);
    const now = this.#link.node.options.clock();
    [this.#roundMs, this.#roundAt] = [now - this.#roundAt, now];
    this.#served = 0;
    const since = now - Math.max(mostIdleMs, 4 * this.#roundMs);
    for (const [node, at] of this.#nodes) if (at < since) this.#nodes.delete(node);
    return tried;
  }

  #wait<T>(call: WriteCall<T>, deadline: number): Promise<Attempt<T> | null> {
    const waitMs = Math.min(mostCourtesyMs, Math.max(courtesyMs, 2 * this.#roundMs));
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#own?.end(null), waitMs);
      const end = (tried: Attempt<T> | Promise<never> | null): void => {
        this.#leaveOwn();
        resolve(tried);
      };
      this.#own = { call, deadline, end, timer } as unknown as OwnCall;
    });
  }

  /** The node's own call does not wait any more. */
  #leaveOwn(): void {
    clearTimeout(this.#own?.timer);
    this.#own = null;
  }

  /** Whether each node was served once on the average since this node's last own call, also by so many calls more. */
  #isRound(more = 0): boolean {
    return this.#served + more >= this.#nodes.size;
  }

  async #serve(): Promise<void> {
    const { clock } = this.#link.node.options;
    this.#busyAt = clock();
    await this.#intake.open();
    while (!this.#isClosed) {
      const calls = await this.#next();
      if (this.#isBusy() || this.#hasSeveral(calls)) this.#busyAt = clock();
      if (clock() > this.#busyAt + mostIdleMs) {
        await this.#end(true);
        for (const call of calls) await this.#intake.decline(call);
        return;
      }
      if (calls.length === 0 && !(await this.#end(false))) return;
      if (calls.length > 0 && !(await this.#committer.inOrder(() => this.#carryOut(calls)))) return;
    }
  }

  /** The next calls. Nodes that were answered together come again together, unless one is slower: a moment later it has come, too. */
  async #next(): Promise<LeftCall[]> {
    const calls = await this.#intake.next(lingerMs);
    const nodes = new Set(calls.map(({ answers }) => answers));
    const areSmall = calls.length > 0 && calls.every(({ record }) => record.length < largeBytes);
    if (areSmall && !nodes.isSupersetOf(this.#together)) calls.push(...(await this.#intake.next(gatherMs)));
    this.#together = new Set(calls.map(({ answers }) => answers));
    return calls;
  }

  /** Whether the calls, together with the last one before them, come from several nodes. */
  #hasSeveral(calls: readonly LeftCall[]): boolean {
    const before = this.#client;
    for (const { answers } of calls) this.#client = answers;
    return (
      calls.some(({ answers }) => before !== '' && answers !== before) || new Set(calls.map((c) => c.answers)).size > 1
    );
  }

  /** False if the turn is over. The next node begins with the calls that are left. */
  async #carryOut(calls: readonly LeftCall[]): Promise<boolean> {
    const { timeoutMs, clock } = this.#link.node.options;
    let open = await this.#read(calls);
    for (const deadline = clock() + timeoutMs; open.length > 0; ) {
      const now = atOnce(open);
      const tried = await this.#attempt(now, deadline);
      const again: ServedCall[] = [];
      for (const [i, attempt] of tried.entries()) {
        const call = now[i] as ServedCall;
        if (attempt.kind === 'refused') await this.#intake.decline(call.called);
        if (attempt.kind !== 'behind') continue;
        if (attempt.before > 0) return false;
        again.push(call);
      }
      if (this.#isRound()) this.#own?.end(null);
      if (again.length < tried.length && !this.#committer.hasTurn) return false;
      open = [...again, ...open.slice(tried.length)].filter(({ called }) => called.endsAt >= this.#link.clock.now());
    }
    return true;
  }

  /** What became of the first of these calls. The node's own call goes with them if it is its turn then. */
  async #attempt(calls: readonly ServedCall[], deadline: number): Promise<Attempt<ReceiveOutcome[]>[]> {
    const { clock } = this.#link.node.options;
    const own = this.#isRound(calls.length) ? this.#takeOwn() : null;
    const [all, until] = own === null ? [calls, deadline] : [[...calls, own.call], Math.min(deadline, own.deadline)];
    const attempts = this.#committer.attemptAll(all, () => 'serves', until);
    // Its commit may have been carried out.
    if (own !== null) attempts.catch(() => own.end(attempts as Promise<never>));
    const tried = await attempts;
    const others = tried.slice(0, calls.length);
    const done = calls.filter((_, i) => others[i]?.kind === 'done');
    this.#served += done.length;
    for (const { from } of done) this.#nodes.set(from[1], clock());
    own?.end(lasting(tried[calls.length]));
    return others;
  }

  /** The node's own call, if others may go with it. */
  #takeOwn(): OwnCall | null {
    const { timeoutMs, clock } = this.#link.node.options;
    const own = this.#own;
    if (own === null || sizeOf(own.call) > mostOwn || own.deadline < clock() + timeoutMs / 2) return null;
    this.#leaveOwn();
    return own;
  }

  /** The calls for which somebody still waits. */
  async #read(calls: readonly LeftCall[]): Promise<ServedCall[]> {
    const read: ServedCall[] = [];
    for (const left of calls) {
      if (left.endsAt < this.#link.clock.now()) continue;
      const call = readLeft(left);
      if (call === null) await this.#intake.decline(left);
      else read.push(call);
    }
    return read;
  }

  /** True if the turn goes on, because there is a call. `now`: ends it anyhow. */
  async #end(now: boolean): Promise<boolean> {
    const { timeoutMs, clock } = this.#link.node.options;
    const deadline = clock() + timeoutMs;
    const { position } = await this.#link.mirror(deadline);
    const place = now ? '' : this.#intake.place;
    const args = ['', ...positionArguments(position), this.#id, 0, 'ends', place];
    const report = await this.#link.send('turn', args, deadline);
    return !isKnown(report) && report[5] === 1;
  }
}

/** The first calls, as many as may be planned without a pause. */
function atOnce(calls: readonly ServedCall[]): readonly ServedCall[] {
  let count = 0;
  const end = calls.findIndex((call, i) => {
    count += sizeOf(call);
    return i > 0 && count > mostAtOnce;
  });
  return end < 0 ? calls : calls.slice(0, end);
}

interface OwnCall {
  readonly call: WriteCall<ReceiveOutcome[]>;
  readonly deadline: number;
  readonly timer: NodeJS.Timeout;
  readonly end: (tried: Attempt<ReceiveOutcome[]> | Promise<never> | null) => void;
}

/** What holds whatever became of the other calls; `null` for what was planned on results that were perhaps not written. */
function lasting<T>(tried: Attempt<T> | undefined): Attempt<T> | null {
  return tried?.kind === 'done' || tried?.kind === 'behind' ? tried : null;
}

/** How many transactions a call has that another one can be planned on; of any other call, more than there may be. */
function sizeOf(call: WriteCall<unknown> | undefined): number {
  return call?.left?.submissions.length ?? Number.POSITIVE_INFINITY;
}

/** A call of another node. */
interface ServedCall extends WriteCall<ReceiveOutcome[]> {
  readonly from: readonly [place: string, answers: string];
  readonly called: LeftCall;
}

/** `null` if this version cannot read it. */
function readLeft(called: LeftCall): ServedCall | null {
  const { id, ids, record, place, answers } = called;
  try {
    const { digest, ...admission } = core.decodeReceiveCall(record);
    const plan = core.receivePlan(admission);
    const own = { script: 'commit', verb: 'receive', fence: ['', '', '', ''], signal: undefined } as const;
    const state = {
      sent: new Map(),
      needMs: 0,
      left: admission,
      wasLeft: false,
      mayBeServed: false,
      refusals: 0,
      reloads: false,
    };
    return { ...own, ...state, id, ids, plan, digest, from: [place, answers], called };
  } catch {
    return null;
  }
}
