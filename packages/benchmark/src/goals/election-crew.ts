import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const program = new URL('./election-node.ts', import.meta.url);
const size = 3;

interface Word {
  readonly kind: 'started' | 'acquired' | 'stopping';
  readonly atMs: number;
}

/** Three processes that take part in one election. */
export class ElectionCrew {
  readonly #start: () => ChildProcess;
  readonly #nodes = new Set<ChildProcess>();
  #leader: ChildProcess | null = null;
  #onAcquired: (atMs: number) => void = () => undefined;

  constructor(path: string, pool: string, ttlMs: number) {
    this.#start = () => fork(program, [path, pool, String(ttlMs)]);
  }

  async begin(): Promise<void> {
    for (let i = 0; i < size; i++) await this.#add();
  }

  /** Ends the leader's process with SIGKILL. @returns how long nobody led, in milliseconds */
  async crash(): Promise<number> {
    const leader = this.#leaderNow();
    const next = this.#nextLeader();
    const atMs = Number(process.hrtime.bigint()) / 1e6;
    this.#nodes.delete(leader);
    leader.kill('SIGKILL');
    const acquiredMs = await next;
    await this.#add();
    return acquiredMs - atMs;
  }

  /** Stops the leader's part in the election. @returns how long nobody led, in milliseconds */
  async handOver(): Promise<number> {
    const leader = this.#leaderNow();
    const stopping = this.#word(leader, 'stopping');
    const started = this.#word(leader, 'started');
    const next = this.#nextLeader();
    leader.send('stop');
    const [from, to] = await Promise.all([stopping, next, started]);
    return to - from;
  }

  async end(): Promise<void> {
    const alive = [...this.#nodes].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const gone = alive.map((node) => once(node, 'exit'));
    for (const node of alive) node.kill('SIGKILL');
    await Promise.all(gone);
  }

  async #add(): Promise<void> {
    const node = this.#start();
    this.#nodes.add(node);
    const first = this.#leader === null ? this.#nextLeader() : null;
    node.on('message', ({ kind, atMs }: Word) => {
      if (kind !== 'acquired') return;
      this.#leader = node;
      this.#onAcquired(atMs);
    });
    await Promise.all([this.#word(node, 'started'), first]);
  }

  #leaderNow(): ChildProcess {
    if (this.#leader === null) throw new Error('nobody leads');
    return this.#leader;
  }

  /** When one of the crew says that it leads from now on. */
  #nextLeader(): Promise<number> {
    return new Promise((resolve) => {
      this.#onAcquired = resolve;
    });
  }

  #word(node: ChildProcess, kind: Word['kind']): Promise<number> {
    return new Promise((resolve, reject) => {
      const listen = (word: Word): void => {
        if (word.kind !== kind) return;
        end();
        resolve(word.atMs);
      };
      const fail = (): void => {
        end();
        reject(new Error(`a node of the election ended before it was ${kind}`));
      };
      const end = (): void => void node.off('message', listen).off('exit', fail);
      node.on('message', listen).once('exit', fail);
    });
  }
}
