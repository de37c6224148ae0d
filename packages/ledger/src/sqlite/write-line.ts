import { setImmediate as turn } from 'node:timers/promises';
import { DiskReserve, isMempoolError, type RetryOptions } from 'mempool-sqlite/backend';
import { StepBuilder } from '../backend.ts';
import { ledgerError } from './error.ts';
import { FileView } from './file-view.ts';
import type { LedgerFile } from './ledger-file.ts';
import { writeStep } from './step-writer.ts';

/** How long a call waits for a file that others write to. */
export const patience: RetryOptions = { timeoutMs: 5_000, clock: () => performance.now(), signal: undefined };
/** How long calls are planned before their step is written: a transaction blocks the event loop, and other processes. */
const planMs = 10;
/** Room for the numbers of a record and for its entries in the indexes. */
const bytesBeside = 300;

export interface JobOptions {
  /** If true, the call does not share a transaction with others. */
  readonly alone?: boolean;
  /** If true, the call is refused while disk space is low, so that calls that free money or records still work. */
  readonly grows: boolean;
}

interface Job extends JobOptions {
  /** Plans the call and returns a function that delivers its answer. */
  plan(step: StepBuilder): () => void;
  reject(error: unknown): void;
}

/**
 * Runs the calls of this process in their order. Waiting calls share one transaction, and so one sync of the disk. Each has the same
 * effect as it would have alone.
 */
export class WriteLine {
  readonly #file: LedgerFile;
  readonly #now: () => number;
  readonly #room: DiskReserve;
  #jobs: Job[] = [];
  #work: Promise<void> | null = null;

  constructor(file: LedgerFile, now: () => number) {
    this.#file = file;
    this.#now = now;
    this.#room = new DiskReserve(file);
  }

  run<Answer>(rule: (step: StepBuilder) => Answer, options: JobOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const plan = (step: StepBuilder) => {
        const answer = rule(step);
        return () => resolve(answer);
      };
      this.#jobs.push({ ...options, plan, reject });
      this.#work ??= this.#workOff();
    });
  }

  /** Resolves when every call made so far is answered. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #workOff(): Promise<void> {
    while (this.#jobs.length > 0) {
      // Whoever has something to write in this turn of the event loop comes along.
      await turn();
      await this.#carryOut(this.#takeJobs());
    }
    this.#work = null;
  }

  #takeJobs(): readonly Job[] {
    const lone = this.#jobs.findIndex(({ alone }) => alone);
    return this.#jobs.splice(0, lone === 0 ? 1 : lone === -1 ? this.#jobs.length : lone);
  }

  async #carryOut(jobs: readonly Job[]): Promise<void> {
    try {
      const answers = await this.#file.write(patience, () => this.#transact(jobs));
      this.#jobs.unshift(...jobs.slice(answers.length));
      for (const answer of answers) answer();
    } catch (error) {
      // What one call meets, a damaged record or a full disk, is not the others' fault.
      if (jobs.length > 1 && !isBusy(error)) for (const job of jobs) await this.#carryOut([job]);
      else for (const { reject } of jobs) reject(ledgerError(error));
    }
  }

  /** Carries out the first of the jobs, as many as there is time for. Returns their answers. */
  #transact(jobs: readonly Job[]): readonly (() => void)[] {
    const builder = new StepBuilder(new FileView(this.#file), this.#now());
    const answers = planned(jobs, builder);
    const step = builder.build();
    if (step.records.length === 0 && step.marks.size === 0) return answers;
    const bytes = step.records.reduce((sum, { content, result }) => sum + content.length + result.length, 0);
    const rows = step.records.length + step.marks.size;
    if (jobs.some(({ grows }) => grows)) this.#room.reserve(bytes + rows * bytesBeside);
    writeStep(this.#file, step);
    return answers;
  }
}

function planned(jobs: readonly Job[], builder: StepBuilder): readonly (() => void)[] {
  const end = performance.now() + planMs;
  const answers: (() => void)[] = [];
  for (const job of jobs) {
    answers.push(job.plan(builder));
    if (performance.now() >= end) break;
  }
  return answers;
}

function isBusy(error: unknown): boolean {
  return isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE') || isMempoolError(error, 'ERR_MEMPOOL_OUTCOME_UNKNOWN');
}
