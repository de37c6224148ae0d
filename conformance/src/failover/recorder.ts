/** Records the observations of one process of a fail-over run. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Block,
  ChainOptions,
  ChainPoint,
  ConfirmOutcome,
  Policy,
  RollbackOutcome,
  RollbackTarget,
} from 'mempool-core';
import type { Election, ElectionProvider, LeaseStore, LeaseStoreOptions, Observation } from 'mempool-election';
import { type FailoverEntry, type FailoverEntryOf, hostNow } from './record.ts';

/** The verbs that need a lease, of a store or a `Mempool`. */
export interface ChainWriter {
  confirm(block: Block, policy?: Policy, options?: ChainOptions): Promise<ConfirmOutcome>;
  rollback(target: RollbackTarget, options?: ChainOptions): Promise<RollbackOutcome>;
}

const nsPerMs = 1e6;

export class FailoverRecorder {
  readonly #file: number;
  readonly #node: string;
  readonly #sentAt = new Map<string, number>();
  #election: Election | null = null;
  #deadline = 0;
  #calls = 0;

  /** Several processes may write to one file at once: each line is appended by one write. */
  constructor(path: string, node: string) {
    this.#file = openSync(path, 'a');
    this.#node = node;
  }

  /** Writes an entry. A line starts with its line break, so that a half-written line does not damage the next one. */
  write(entry: FailoverEntry): void {
    writeSync(this.#file, `\n${JSON.stringify(entry)}`);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Returns the provider, wrapped so that it records when campaigns are sent and renewals are answered. */
  provider<Own extends object>(provider: ElectionProvider<Own>): ElectionProvider<Own> {
    const open = async (options: LeaseStoreOptions & Own) => this.#leases(await provider.open(options));
    return { type: provider.type, open };
  }

  /** Records the wins and losses of an election. Call it before the election starts. */
  election(election: Election): void {
    this.#election = election;
    election.on('acquired', ({ term, token }) => {
      this.#deadline = this.#believesUntil();
      const sentAt = this.#sentAt.get(token) ?? hostNow();
      this.write({ kind: 'acquired', ...this.#writer(), term, token, sentAt, deadline: this.#deadline });
    });
    election.on('lost', ({ term, token, reason }) => {
      this.write({ kind: 'lost', ...this.#writer(), term, token, reason });
    });
  }

  /** Returns the pool, wrapped so that each call that moves its tip is recorded before it is sent and when it is answered. */
  pool(pool: ChainWriter): ChainWriter {
    return {
      confirm: (block, policy, options) =>
        this.#called('confirm', block.point, options, () => pool.confirm(block, policy, options)),
      rollback: (target, options) => {
        const point = target === 'origin' ? null : target;
        return this.#called('rollback', point, options, () => pool.rollback(target, options));
      },
    };
  }

  async #called<Outcome extends ConfirmOutcome | RollbackOutcome>(
    verb: FailoverEntryOf<'sent'>['verb'],
    point: ChainPoint | null,
    options: ChainOptions | undefined,
    run: () => Promise<Outcome>,
  ): Promise<Outcome> {
    this.#calls += 1;
    const { term = null, token = null } = options?.lease ?? {};
    const call = { call: this.#calls, verb, point, term, token };
    this.write({ kind: 'sent', ...this.#writer(), ...call });
    try {
      const outcome = await run();
      this.write({ kind: 'answered', ...this.#writer(), ...call, outcome: outcome.kind, tick: outcome.tip.tick });
      return outcome;
    } catch (error) {
      this.write({ kind: 'answered', ...this.#writer(), ...call, outcome: codeOf(error), tick: null });
      throw error;
    }
  }

  #leases(store: LeaseStore): LeaseStore {
    return {
      campaign: (request) => {
        if (!this.#sentAt.has(request.token)) this.#sentAt.set(request.token, hostNow());
        return store.campaign(request);
      },
      renew: (lease, request) => this.#renewed(store.renew(lease, request)),
      reinstate: (lease, request) => this.#renewed(store.reinstate(lease, request)),
      release: (holder) => store.release(holder),
      observe: () => store.observe(),
      heartbeat: (candidate, ttlMs) => store.heartbeat(candidate, ttlMs),
      members: () => store.members(),
      onHint: (listener) => store.onHint(listener),
      close: () => store.close(),
    };
  }

  /** The election gets the answer first, because its own deadline is the one to record. */
  async #renewed<Reply>(answer: Promise<Reply>): Promise<Reply> {
    const reply = await answer;
    setImmediate(() => this.#noteDeadline());
    return reply;
  }

  #noteDeadline(): void {
    const lease = this.#election?.leadership?.lease;
    const deadline = this.#believesUntil();
    if (lease === undefined || deadline <= this.#deadline) return;
    this.#deadline = deadline;
    const { term, token } = lease;
    this.write({ kind: 'renewed', ...this.#writer(), term, token, deadline });
  }

  #believesUntil(): number {
    return Math.round(hostNow() + (this.#election?.leadership?.remainingMs() ?? 0) * nsPerMs);
  }

  #writer(): { at: number; node: string; pid: number } {
    return { at: hostNow(), node: this.#node, pid: process.pid };
  }
}

/** Recorded in place of an answer: an error code, which cannot be mistaken for an outcome. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('ERR_') ? code : 'ERR_';
}

export interface LeaseWitnessParts {
  readonly recorder: FailoverRecorder;
  readonly leases: Pick<LeaseStore, 'observe'>;
  /** Returns the number of the pool's newest event. */
  readonly newestEvent: () => Promise<number>;
}

/** The pause between two looks. A block applied between two different holders is compared with neither. */
const pauseMs = 5;

/** Records which lease is held in the store, and at which event of the pool. */
export class LeaseWitness {
  readonly #parts: LeaseWitnessParts;
  #last: FailoverEntryOf<'held'> | null = null;

  constructor(parts: LeaseWitnessParts) {
    this.#parts = parts;
  }

  /** Reads the store repeatedly until the signal aborts, even if the store does not answer. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look().catch(() => undefined);
      await delay(pauseMs);
    }
  }

  /** Records a lease that is held both before and after the number of the newest event is read. */
  async look(): Promise<void> {
    const { leases, newestEvent, recorder } = this.#parts;
    const before = holderOf(await leases.observe());
    const eventSeq = await newestEvent();
    const { term, token } = holderOf(await leases.observe());
    if (before.term !== term || before.token !== token) return;
    const isKnown = this.#last?.eventSeq === eventSeq && this.#last.token === token && this.#last.term === term;
    if (isKnown) return;
    this.#last = { kind: 'held', at: hostNow(), eventSeq, term, token };
    recorder.write(this.#last);
  }
}

function holderOf({ lease, term }: Observation): { readonly term: number; readonly token: string | null } {
  return { term, token: lease?.token ?? null };
}
