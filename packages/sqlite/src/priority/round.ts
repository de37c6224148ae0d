import type { ReceiveOutcome } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { CommitPoll } from '../file/commit-poll.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { Round, RoundAnswer, RoundCall } from './call-server.ts';
import type { FileMirror } from './mirror.ts';
import type { Served, TurnTable } from './turn-table.ts';

type ReceiveStep = core.Step<ReceiveOutcome[]>;

/** Stores a step in the open transaction. Returns it as it is stored; `null` if there is nothing to store. */
export type StoreStep = (call: RoundCall, step: ReceiveStep, nowMs: number, version: number) => ReceiveStep | null;

interface RoundParts {
  readonly file: PoolFile;
  readonly commits: CommitPoll;
  readonly mirror: FileMirror;
  readonly table: TurnTable;
  readonly nowMs: () => number;
  readonly store: StoreStep;
}

/** How long calls are carried out before those done are committed: the event loop is blocked meanwhile. */
const roundMs = 20;

/** Carries out calls of several processes in one SQLite transaction, each as a step of its own. */
export class RoundWriter {
  readonly #parts: RoundParts;
  /** Whether the mirror has what is not committed. */
  #isAhead = false;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** Carries out the calls, or the first ones, if it is the turn of the intake `name`. */
  carryOut(calls: readonly RoundCall[], name: string): Round {
    const { file, mirror, commits } = this.#parts;
    // The mirror catches up before the file is locked for writing.
    if (!file.atomically('beginRead', () => mirror.current())) return 'behind';
    this.#isAhead = false;
    try {
      const round = file.atomically('beginWrite', () => this.#write(calls, name));
      if (typeof round !== 'string') commits.notify();
      return round;
    } catch (error) {
      // It applies each step before the commit.
      if (this.#isAhead) mirror.forget();
      throw error;
    }
  }

  #write(calls: readonly RoundCall[], name: string): Round {
    const { table, mirror } = this.#parts;
    if (table.intake() !== name) return 'over';
    const current = mirror.current();
    if (current === null) return 'behind';
    const answers: RoundAnswer[] = [];
    const served: Served[] = [];
    const end = performance.now() + roundMs;
    for (const call of calls) {
      answers.push(this.#carryOut(call, current, served));
      if (performance.now() >= end) break;
    }
    return {
      answers,
      place: served.length === 0 ? table.place() : table.keep(served),
    };
  }

  /** A call that cannot be planned has written nothing: its own process gets the error when it carries out the call. */
  #carryOut(call: RoundCall, mirror: core.MirroredPool, served: Served[]): RoundAnswer {
    const { file, nowMs, store } = this.#parts;
    const { context, plan, kept: id } = call;
    const known = context.operationId === undefined ? undefined : file.row('operation', context.operationId);
    if (known !== undefined) return { record: known.outcome as Uint8Array };
    const now = nowMs();
    let answer: RoundAnswer = 'refused';
    try {
      mirror.commit(
        (pool) => plan(pool, now),
        (step, version) => {
          answer = { outcome: step.outcome };
          this.#isAhead = true;
          const stored = store(call, step, now, version);
          const record = stored?.operation?.record;
          if (record !== undefined) answer = { record };
          else if (stored !== null && id !== null) {
            answer = { record: core.encodeOutcome('receive', step.outcome, context.digest) };
            served.push([id, answer.record]);
          }
          return stored;
        },
      );
    } catch (error) {
      if (answer !== 'refused' || mirror.isBroken) throw error;
    }
    return answer;
  }
}
