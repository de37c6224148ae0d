import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { isMempoolError, type ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { Guest, Intake, LeftCall } from './intake.ts';

/** A call to carry out together with others, as a step of its own. */
export interface RoundCall {
  readonly plan: core.Plan<ReceiveOutcome[]>;
  readonly context: core.WriteContext;
  /** The id under which the outcome of another process's call is kept; `null` if there is an operation id, or the call is this process's own. */
  readonly kept: string | null;
}

/** `record`: the outcome, as it is recorded. `refused`: the call has an error, which its own process finds out by itself. */
export type RoundAnswer = { readonly record: Uint8Array } | { readonly outcome: ReceiveOutcome[] } | 'refused';

/**
 * What came of calls: the answers to the first ones, and the place of the outcomes that were kept. `over`: the turn was ended. `behind`: the
 * mirror has to be filled first.
 */
export type Round = { readonly answers: readonly RoundAnswer[]; readonly place: number } | 'over' | 'behind';

export interface Rounds {
  /** Carries out calls in one transaction. After an error, nothing was written, unless it says that this is not known. */
  carryOut(calls: readonly RoundCall[], name: string): Round;
  fill(): Promise<void>;
}

interface Waiting extends RoundCall {
  readonly from: Guest | 'own';
  readonly transactions: number;
  answer(answer: RoundAnswer, place: number): void;
  decline(): void;
  fail(error: unknown): void;
}

const mostTransactions = 1_000;
/** Who came back within this time of its last answer is waited for, so that all take part in each round. */
const promptMs = 3;
const mostCourtesyMs = 4;
const mostOwnWaitMs = 20;
const aliveMs = 50;
/** A process that writes nothing itself for so long does not serve a single other one: that is quicker without it. */
const mostIdleMs = 200;
const lingerMs = 1_000;
const busyPauseMs = 1;
/** A call that takes longer is left to its own process when this one closes. */
const closingMs = 1_000;

/** One that takes part in the rounds: this process, or another one. */
interface Member {
  answeredAt: number;
  /** Its usual time from an answer to its next call. */
  restMs: number;
}

/** While this process has the turn, it carries out the calls of others together with its own, many in one transaction. */
export class CallServer {
  readonly intake: Intake;
  readonly #rounds: Rounds;
  readonly #onEnd: (isSound: boolean) => void;
  #queue: Waiting[] = [];
  readonly #members = new Map<Guest | 'own', Member>();
  /** Those of the last round that usually come back at once. */
  #prompt: readonly (Guest | 'own')[] = [];
  /** The guests that were served since this process's last own call, and those before it, which may come again. */
  #served = new Set<Guest>();
  #owed = new Set<Guest>();
  /** When the next own call waits for nobody any more. */
  #ownAt = 0;
  #roundMs = 0;
  #onCall: (() => void) | null = null;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isEnded = false;
  #isClosing = false;
  #wasNeeded = false;
  readonly #watch: NodeJS.Timeout;
  #quietSince = performance.now();

  /** `onEnd`: called when the turn has ended. `isSound`: nothing failed, and others needed it. */
  constructor(intake: Intake, rounds: Rounds, onEnd: (isSound: boolean) => void) {
    this.intake = intake;
    this.#rounds = rounds;
    this.#onEnd = onEnd;
    this.#watch = setInterval(() => this.#look(), aliveMs).unref();
  }

  take(left: LeftCall): void {
    this.#wasNeeded = true;
    try {
      if (this.#isEnded || this.#isClosing) throw new RangeError('the turn is over');
      const { digest, ...admission } = core.decodeReceiveCall(left.record);
      const { id, ids, from } = left;
      this.#add({
        plan: core.receivePlan(admission),
        context: { operationId: ids === 'ops' ? id : undefined, digest, signal: undefined },
        kept: ids === 'calls' ? id : null,
        from,
        transactions: admission.submissions.length,
        answer: (answer, place) => {
          if (answer === 'refused') left.decline();
          else
            left.answer(
              'record' in answer ? answer.record : core.encodeOutcome('receive', answer.outcome, digest),
              place,
            );
        },
        decline: () => left.decline(),
        fail: () => from.cut(),
      });
    } catch {
      left.decline();
    }
  }

  /** Carries out a call of this process in the next round. `refused`: this process has to carry it out alone. */
  join(call: Pick<RoundCall, 'plan' | 'context'>, transactions: number, waitMs: number): Promise<RoundAnswer> {
    const { signal } = call.context;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#withdraw(waiting), waitMs);
      const abort = (): void => this.#withdraw(waiting, signal?.reason);
      signal?.addEventListener('abort', abort);
      const end = (done: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        done();
      };
      const waiting: Waiting = {
        ...call,
        kept: null,
        from: 'own',
        transactions,
        answer: (answer) => end(() => resolve(answer)),
        decline: () => end(() => resolve('refused')),
        fail: (error) => end(() => reject(error)),
      };
      this.#add(waiting);
    });
  }

  gone(guest: Guest): void {
    this.#members.delete(guest);
    this.#queue = this.#queue.filter(({ from }) => from !== guest);
    this.#prompt = this.#prompt.filter((each) => each !== guest);
    this.#owed.delete(guest);
    this.#served.delete(guest);
    this.#onCall?.();
  }

  /** Answers what was taken, and ends the turn. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.race([this.#running, pause(closingMs, undefined, { ref: false })]);
    this.#end('answered');
  }

  #withdraw(waiting: Waiting, reason?: unknown): void {
    const at = this.#queue.indexOf(waiting);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    if (reason === undefined) waiting.decline();
    else waiting.fail(reason);
  }

  #add(waiting: Waiting): void {
    const now = performance.now();
    const member = this.#members.get(waiting.from) ?? { answeredAt: now, restMs: promptMs };
    this.#members.set(waiting.from, member);
    member.restMs += (Math.min(now - member.answeredAt, 10 * promptMs) - member.restMs) / 4;
    this.#queue.push(waiting);
    this.#onCall?.();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    try {
      // All that was sent by now is read before.
      for (await turn(); this.#queue.length > 0 && !this.#isEnded; await turn()) {
        await this.#everybody();
        await this.#round();
      }
    } catch (error) {
      // Each process finds out by itself: by its own attempt, or in the file, if the calls may have been carried out.
      const isUnknown = isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
      if (isUnknown) for (const waiting of this.#queue.splice(0)) waiting.fail(error);
      this.#end(isUnknown ? 'cut' : 'declined');
    } finally {
      // At once: the next call may come before anybody hears of the end of a promise.
      this.#isRunning = false;
    }
  }

  /** Resolves when the next round can begin: those that come back at once have done so, or take their time. */
  async #everybody(): Promise<void> {
    for (let isLate = false; !isLate && !this.#isComplete; ) {
      const isAlone = !this.#hasGuests;
      const waitMs = isAlone ? this.#ownAt - performance.now() : this.#courtesyMs;
      isLate = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), Math.max(1, waitMs));
        this.#onCall = () => {
          if (!this.#isComplete && !(isAlone && this.#hasGuests)) return;
          clearTimeout(timer);
          resolve(false);
        };
      });
      this.#onCall = null;
    }
  }

  get #isComplete(): boolean {
    const here = new Set(this.#queue.map(({ from }) => from));
    return this.#prompt.every((each) => here.has(each)) && (this.#hasGuests || this.#isOwnNext);
  }

  get #hasGuests(): boolean {
    return this.#queue.some(({ from }) => from !== 'own');
  }

  get #courtesyMs(): number {
    return Math.min(mostCourtesyMs, 2 * Math.max(...this.#prompt.map((each) => this.#members.get(each)?.restMs ?? 0)));
  }

  /** Own calls need no way through a socket. They wait until all that were served since the last one come again, or take their time. */
  get #isOwnNext(): boolean {
    if (performance.now() >= this.#ownAt) return true;
    const here = new Set(this.#queue.map(({ from }) => from));
    return [...this.#owed].every((guest) => this.#served.has(guest) || here.has(guest));
  }

  async #round(): Promise<void> {
    const calls = this.#nextCalls();
    if (calls.length === 0) return;
    const begunAt = performance.now();
    const round = this.#attempt(calls);
    this.#roundMs = performance.now() - begunAt;
    if (round === 'over') this.#end('answered');
    else if (round === 'behind') await this.#rounds.fill();
    else if (round === 'busy') await pause(busyPauseMs);
    else this.#answer(calls, round);
  }

  #attempt(calls: readonly Waiting[]): Round | 'busy' {
    try {
      return this.#rounds.carryOut(calls, this.intake.name);
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) return 'busy';
      throw error;
    }
  }

  #answer(calls: readonly Waiting[], { answers, place }: Exclude<Round, string>): void {
    const now = performance.now();
    const served = calls.slice(0, answers.length);
    this.#queue = this.#queue.filter((waiting) => !served.includes(waiting));
    for (const { from } of served) {
      const member = this.#members.get(from);
      if (member !== undefined) member.answeredAt = now;
      if (from !== 'own') this.#served.add(from);
    }
    if (served.some(({ from }) => from === 'own')) {
      [this.#owed, this.#served] = [this.#served, new Set()];
      this.#ownAt = now + Math.min(mostOwnWaitMs, 2 * this.#roundMs);
    }
    const isPrompt = (each: Guest | 'own'): boolean => (this.#members.get(each)?.restMs ?? promptMs) < promptMs;
    this.#prompt = [...new Set(served.map(({ from }) => from))].filter(isPrompt);
    for (const [i, waiting] of served.entries()) waiting.answer(answers[i] as RoundAnswer, place);
  }

  #nextCalls(): Waiting[] {
    const isOwnNext = this.#isOwnNext;
    const calls: Waiting[] = [];
    let transactions = 0;
    for (const call of this.#queue) {
      if (call.from === 'own' && !isOwnNext) continue;
      transactions += call.transactions;
      if (calls.length > 0 && transactions > mostTransactions) break;
      calls.push(call);
    }
    return calls;
  }

  #active(who: 'guests' | 'own'): number {
    const since = performance.now() - mostIdleMs;
    let active = 0;
    for (const [each, { answeredAt }] of this.#members)
      if ((each === 'own') === (who === 'own') && answeredAt > since) active += 1;
    return active;
  }

  /** Tells those that wait that this process is alive, and ends a turn that nobody needs. */
  #look(): void {
    for (const { from } of this.#queue) if (from !== 'own') from.alive();
    if (this.#queue.length > 0) return;
    const guests = this.#active('guests');
    if (guests > 0) this.#quietSince = performance.now();
    const isQuiet = performance.now() > this.#quietSince + lingerMs;
    if (isQuiet || (guests === 1 && this.#active('own') === 0)) this.#end('answered');
  }

  /** Ends the turn. What waits is not carried out, and is told so. `answered`: nothing has failed. */
  #end(how: 'answered' | 'declined' | 'cut'): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#watch);
    for (const waiting of this.#queue.splice(0)) waiting.decline();
    this.intake.close(how === 'cut' ? 'cut' : 'answered');
    this.#onEnd(how === 'answered' && this.#wasNeeded);
  }
}
