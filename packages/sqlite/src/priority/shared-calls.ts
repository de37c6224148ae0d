import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMempoolError, MempoolError, type MempoolErrorCode, type ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { PoolFile } from '../pool/pool-file.ts';
import { CallServer, type RoundAnswer, type Rounds } from './call-server.ts';
import { Intake } from './intake.ts';
import { IntakeLink, type Told } from './intake-link.ts';
import { largestRecord, removeSocket, scopeOf, socketAt, socketFolder } from './intake-socket.ts';
import { type LeftAt, TurnTable } from './turn-table.ts';

/** A call of `receive`, over all its attempts. */
export interface SharedCall {
  readonly admission: core.ReceiveCall;
  readonly plan: core.Plan<ReceiveOutcome[]>;
  readonly context: core.WriteContext;
  /** Where it was left, until the file says whether it was carried out. */
  left: LeftAt | null;
  /** It is too large for others. */
  isAlone: boolean;
}

/** How often, within a time, processes have to be in each other's way before one of them carries out the calls of all. */
const signs = 3;
const recentMs = 500;
/** How long a process that could not serve, or that nobody needed, does not try again. */
const restMs = 1_000;
/** A process that wrote so shortly before and after another one is in its way. */
const atOnceMs = 200;
/** How often a process looks whether others wait for it. */
const lookMs = 10;
/** How long the last answer says at which place the outcomes of the next call may be. */
const placeMs = 100;
const mostAttempts = 3;
const busyPauseMs = 2;

/** Errors that hold whoever carries out the call. */
const lasting: readonly MempoolErrorCode[] = ['ERR_MEMPOOL_INVALID', 'ERR_MEMPOOL_OUTCOME_UNKNOWN'];

/**
 * Has calls of `receive` carried out by the process whose turn it is, or by this one for all, while several processes write. All of
 * that is only a help: a call that gets no answer is looked up in the file, where its outcome is recorded, and if it has none, then it
 * never will be carried out by another.
 */
export class SharedCalls {
  readonly #file: PoolFile;
  readonly #table: TurnTable;
  readonly #folder: string;
  readonly #clock: () => number;
  readonly #rounds: Rounds;
  readonly #id: string = randomBytes(9).toString('base64');
  #calls = 0;
  #signs: number[] = [];
  #restsUntil = 0;
  /** The intake that the file named last, and one where nobody listened. */
  #seen = '';
  #dead = '';
  /** The path of a file that is there when a process waits for others. */
  readonly #asking: string;
  #lookAt = 0;
  /** The pool's version after the last call of this process, and when that was. */
  #wrote = { version: 0, at: Number.NEGATIVE_INFINITY };
  /** The last row of operation ids, and when it was read. */
  #operations = { place: 0, at: Number.NEGATIVE_INFINITY };
  #link: IntakeLink | null = null;
  #server: CallServer | null = null;
  #opening: Promise<void> | null = null;
  #isClosed = false;

  private constructor(file: PoolFile, folder: string, clock: () => number, roundsOn: (table: TurnTable) => Rounds) {
    this.#file = file;
    this.#folder = folder;
    const scope = scopeOf(folder, file.path, file.row('synchronous')?.synchronous);
    this.#table = new TurnTable(file, scope);
    this.#asking = join(folder, `${scope}-asks`);
    this.#clock = clock;
    this.#rounds = roundsOn(this.#table);
  }

  /** `null` where processes cannot reach each other. */
  static for(file: PoolFile, clock: () => number, roundsOn: (table: TurnTable) => Rounds): SharedCalls | null {
    const folder = socketFolder();
    return folder === null ? null : new SharedCalls(file, folder, clock, roundsOn);
  }

  /** Notes that another process wrote at the same time as this one. */
  noteOther(): void {
    const now = performance.now();
    this.#signs = [...this.#signs, now].slice(-signs);
  }

  /**
   * Notes, in a transaction that writes, whether it is another process's turn, or one asks for a turn: it may wait long for this process,
   * which finds the file free. `version`: of the pool before the call.
   */
  begin(version: number): void {
    if (this.#isAskedFor()) this.#crowd();
    const name = this.#table.intake();
    this.#seen = name === this.#server?.intake.name ? '' : name;
    if (version !== this.#wrote.version && performance.now() < this.#wrote.at + atOnceMs) this.noteOther();
  }

  /** Notes the version of the pool after a call of this process. */
  wrote(version: number): void {
    this.#wrote = { version, at: performance.now() };
  }

  /** Whether `carry` may do anything for the call. */
  mayCarry(call: SharedCall): boolean {
    if (call.left !== null) return true;
    if (call.isAlone || this.#isClosed) return false;
    // In a turn all calls go through the rounds: with nothing but calls of its own, this process would never hear of others'.
    if (this.#link?.isOpen || this.#server !== null) return true;
    return this.#isCrowded || (this.#seen !== '' && this.#seen !== this.#dead);
  }

  /** Has the call carried out together with others. Returns its outcome; `null` if this process has to carry it out alone. */
  async carry(call: SharedCall, deadline: number): Promise<ReceiveOutcome[] | null> {
    for (let attempt = 0; ; attempt++) {
      const settled = call.left === null ? null : await this.#settle(call, call.left, deadline);
      if (settled !== null) return this.#decoded(call, settled);
      if (call.isAlone || this.#isClosed || attempt === mostAttempts || this.#clock() >= deadline) return null;
      if (!this.#link?.isOpen && this.#server === null) await this.#open();
      call.context.signal?.throwIfAborted();
      if (this.#server !== null) return this.#join(call, this.#server, deadline);
      if (this.#link === null) return null;
      const told = await this.#leave(call, this.#link, deadline);
      if (told === 'declined') return null;
      if (told !== 'lost') return this.#decoded(call, told.record);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    await this.#server?.close();
    this.#link?.close();
  }

  get #isCrowded(): boolean {
    return this.#signs.length >= signs && (this.#signs[0] as number) > performance.now() - recentMs;
  }

  async #join(call: SharedCall, server: CallServer, deadline: number): Promise<ReceiveOutcome[] | null> {
    const waitMs = Math.max(1, deadline - this.#clock());
    const answer: RoundAnswer = await server.join(call, call.admission.submissions.length, waitMs);
    if (answer === 'refused') return null;
    return 'outcome' in answer ? answer.outcome : this.#decoded(call, answer.record);
  }

  async #leave(call: SharedCall, link: IntakeLink, deadline: number): Promise<Told> {
    const { operationId } = call.context;
    const record = core.encodeReceiveCall(call.admission, call.context);
    if (record.length > largestRecord) {
      call.isAlone = true;
      return 'declined';
    }
    this.#calls += 1;
    const { name } = link;
    call.left =
      operationId === undefined
        ? { id: `${this.#id}${this.#calls}`, ids: 'calls', name, place: this.#servedPlace(link) }
        : { id: operationId, ids: 'ops', name, place: this.#operationPlace() };
    const told = await link.leave(call.left, record, (deadline - this.#clock()) / 2);
    if (told === 'lost') {
      this.#crowd();
      return told;
    }
    call.left = null;
    return told;
  }

  #servedPlace({ heardAt, place }: IntakeLink): number {
    if (performance.now() < heardAt + placeMs) return place;
    return this.#file.atomically('beginRead', () => this.#table.place());
  }

  /** An earlier place does, too: it is read now and then. */
  #operationPlace(): number {
    const now = performance.now();
    if (now > this.#operations.at + placeMs)
      this.#operations = { at: now, place: this.#file.atomically('beginRead', () => this.#table.operationPlace()) };
    return this.#operations.place;
  }

  #decoded({ context }: SharedCall, record: Uint8Array): ReceiveOutcome[] {
    return core.decodeOutcome('receive', record, context.digest);
  }

  /** Returns the outcome that is recorded; `null` if the call was not carried out. @throws `ERR_MEMPOOL_OUTCOME_UNKNOWN` if that cannot be known */
  async #settle(call: SharedCall, left: LeftAt, deadline: number): Promise<Uint8Array | null> {
    for (;;) {
      try {
        const record = this.#file.atomically('beginWrite', () => this.#table.settle(left));
        call.left = null;
        if (record === null) this.#removeSocket(left.name);
        return record;
      } catch (error) {
        if (isMempoolError(error) && lasting.includes(error.code)) throw error;
        if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') || this.#clock() >= deadline)
          throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', String(error), { cause: error });
      }
      await pause(busyPauseMs * Math.random());
    }
  }

  #open(): Promise<void> {
    this.#opening ??= this.#openOnce()
      .catch(() => undefined)
      .finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Connects to the process whose turn it is, or takes the turn. */
  async #openOnce(): Promise<void> {
    for (let attempt = 0; attempt < mostAttempts && !this.#isClosed; attempt++) {
      const before = this.#file.atomically('beginRead', () => this.#table.intake());
      if (await this.#connect(before)) return;
      if (!this.#isCrowded || performance.now() < this.#restsUntil || (await this.#take(before))) return;
    }
  }

  async #connect(name: string): Promise<boolean> {
    this.#link?.close();
    this.#link = null;
    const path = socketAt(this.#folder, name);
    if (path !== null && name !== this.#server?.intake.name) this.#link = await IntakeLink.to(path, name);
    if (this.#link === null) this.#dead = name;
    return this.#link !== null;
  }

  /** False if another process was faster. */
  async #take(before: string): Promise<boolean> {
    if (this.#server !== null) return true;
    let server: CallServer | null = null;
    const intake = await Intake.open(this.#folder, {
      place: () => this.#file.atomically('beginRead', () => this.#table.place()),
      take: (left) => (server === null ? left.decline() : server.take(left)),
      gone: (guest) => server?.gone(guest),
    });
    if (intake === null) {
      this.#rest();
      return true;
    }
    const isMine = await this.#claim(intake.name, before).catch(() => {
      this.#rest();
      return false;
    });
    if (!isMine) {
      intake.close('answered');
      return false;
    }
    this.#removeSocket(before);
    this.#server = new CallServer(intake, this.#rounds, (isSound) => {
      this.#server = null;
      if (!isSound) this.#rest();
    });
    server = this.#server;
    return true;
  }

  #rest(): void {
    this.#restsUntil = performance.now() + restMs;
  }

  async #claim(name: string, before: string): Promise<boolean> {
    for (const end = performance.now() + recentMs; performance.now() < end && !this.#isClosed; ) {
      try {
        return this.#file.atomically('beginWrite', () => this.#table.take(name, before));
      } catch (error) {
        if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
        if (this.#file.atomically('beginRead', () => this.#table.intake()) !== before) return false;
        this.#ask();
      }
      await pause(busyPauseMs * Math.random());
    }
    return false;
  }

  /** Asks for the turn of somebody. A process that always finds the file free would never hear of the others. */
  #ask(): void {
    try {
      writeFileSync(this.#asking, '');
    } catch {
      // It is only a help.
    }
  }

  #crowd(): void {
    for (let sign = 0; sign < signs; sign++) this.noteOther();
  }

  #isAskedFor(): boolean {
    const now = performance.now();
    if (now < this.#lookAt) return false;
    this.#lookAt = now + lookMs;
    if (!existsSync(this.#asking)) return false;
    rmSync(this.#asking, { force: true });
    return true;
  }

  /** The socket of a process that has died stays. */
  #removeSocket(name: string): void {
    const path = socketAt(this.#folder, name);
    if (path !== null) removeSocket(path);
  }
}
