import type { ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Committer } from './committer.ts';
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
  /** The nodes that were served since this node's last own call, and those of the round before, which may come again. */
  #served = new Set<string>();
  #expected = new Set<string>();
  #onRound: (() => void) | null = null;
  #busyAt = 0;
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
        this.#expected = new Set();
        this.#onRound?.();
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

  /** Resolves when each node that was served in the round before was served again, or takes its time. */
  async ownTurn(): Promise<void> {
    if (!this.#isServing) return;
    if ([...this.#expected].some((node) => !this.#served.has(node)))
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(mostCourtesyMs, Math.max(courtesyMs, 2 * this.#roundMs)));
        this.#onRound = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const now = this.#link.node.options.clock();
    [this.#roundMs, this.#roundAt] = [now - this.#roundAt, now];
    this.#onRound = null;
    this.#expected = this.#served;
    this.#served = new Set();
  }

  async #serve(): Promise<void> {
    const { clock } = this.#link.node.options;
    this.#busyAt = clock();
    await this.#intake.open();
    while (!this.#isClosed) {
      const calls = await this.#intake.next(lingerMs);
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
    for (const call of calls) {
      if (call.endsAt < this.#link.clock.now()) continue;
      if (!(await this.#carryOutOne(call))) return false;
      this.#served.add(call.answers);
      if ([...this.#expected].every((node) => this.#served.has(node))) this.#onRound?.();
    }
    return true;
  }

  async #carryOutOne(left: LeftCall): Promise<boolean> {
    const { timeoutMs, clock } = this.#link.node.options;
    const call = readLeft(left);
    for (const deadline = clock() + timeoutMs; call !== null; ) {
      const tried = await this.#committer.attempt(call, () => 'serves', deadline);
      if (tried.kind === 'done') return this.#committer.hasTurn;
      if (tried.kind !== 'behind') break;
      if (tried.before > 0) return false;
    }
    await this.#intake.decline(left);
    return true;
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

/** `null` if this version cannot read it. */
function readLeft({ id, ids, record, place, answers }: LeftCall): WriteCall<ReceiveOutcome[]> | null {
  try {
    const { digest, ...admission } = core.decodeReceiveCall(record);
    const plan = core.receivePlan(admission);
    const own = { script: 'commit', verb: 'receive', fence: ['', '', '', ''], signal: undefined } as const;
    const state = { sent: new Map(), needMs: 0, left: admission, wasLeft: false, mayBeServed: false };
    return { ...own, ...state, id, ids, plan, digest, from: [place, answers] };
  } catch {
    return null;
  }
}
