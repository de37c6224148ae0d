import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import type { BenchBackend } from '../limits/backend.ts';
import { killed } from './crew.ts';
import { head, type Measure } from './measure.ts';

const program = new URL('./election-node.ts', import.meta.url);
const ttlMs = 1_000;
const size = 3;
let pools = 0;

/** What a node sends, with the time: milliseconds of the same clock in every process. */
export interface Message {
  readonly kind: 'started' | 'acquired' | 'stopping';
  readonly atMs: number;
}

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** When the node sends the next message of that kind. @throws Error where it ends before */
async function next(node: ChildProcess, kind: Message['kind']): Promise<number> {
  for await (const [message] of on(node, 'message', { close: ['exit'] }))
    if ((message as Message).kind === kind) return (message as Message).atMs;
  throw new Error(`a node of the election ended before it was ${kind}`);
}

/** Three processes that take part in one election. */
class ElectionCrew {
  readonly #start: () => ChildProcess;
  readonly #nodes = new Set<ChildProcess>();
  #leader: ChildProcess | null = null;
  #onAcquired: (atMs: number) => void = () => undefined;

  constructor(path: string, pool: string) {
    this.#start = () => fork(program, [path, pool, String(ttlMs)]);
  }

  async begin(): Promise<void> {
    const first = this.#nextLeader();
    for (let i = 0; i < size; i++) await this.#add();
    await first;
  }

  /** Ends the leader's process with SIGKILL. @returns the milliseconds without a leader */
  async crash(): Promise<number> {
    const leader = this.#leaderNow();
    const acquired = this.#nextLeader();
    const atMs = nowMs();
    this.#nodes.delete(leader);
    leader.kill('SIGKILL');
    const acquiredMs = await acquired;
    await this.#add();
    return acquiredMs - atMs;
  }

  /** Stops the leader's part in the election. @returns the milliseconds without a leader */
  async handOver(): Promise<number> {
    const leader = this.#leaderNow();
    const moments = Promise.all([next(leader, 'stopping'), this.#nextLeader(), next(leader, 'started')]);
    leader.send('stop');
    const [from, to] = await moments;
    return to - from;
  }

  end(): Promise<void> {
    return killed(this.#nodes);
  }

  async #add(): Promise<void> {
    const node = this.#start();
    this.#nodes.add(node);
    node.on('message', ({ kind, atMs }: Message) => {
      if (kind !== 'acquired') return;
      this.#leader = node;
      this.#onAcquired(atMs);
    });
    await next(node, 'started');
  }

  #leaderNow(): ChildProcess {
    if (this.#leader === null) throw new Error('nobody leads');
    return this.#leader;
  }

  #nextLeader(): Promise<number> {
    return new Promise((resolve) => {
      this.#onAcquired = resolve;
    });
  }
}

/** How long nobody leads, with three processes in the election. */
export function electionGoals({ subject, path }: BenchBackend): Measure[] {
  const measure = (what: string, most: number, rounds: number, sample: (crew: ElectionCrew) => Promise<number>) => {
    const pool = `bench-election-${process.pid}-${pools++}`;
    const crew = new ElectionCrew(path, pool);
    return {
      ...head(subject, `${what}: time without one`, ['at most', most], 'ms', rounds),
      prepare: () => crew.begin(),
      sample: () => sample(crew),
      async end() {
        await crew.end();
        await subject.destroy?.(pool);
      },
    };
  };
  const killed = measure('leader killed', ttlMs + 250, 7, (crew) => crew.crash());
  const stopped = measure('leader stopped', 100, 15, (crew) => crew.handOver());
  return [{ ...killed, title: `${killed.title}, ttl ${ttlMs.toLocaleString('en')} ms` }, stopped];
}
