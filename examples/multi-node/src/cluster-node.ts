/** One node as the parent sees it: a process that is started, killed, stopped, cut off, and started again under the same id. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Transaction } from 'mempool-core';
import type { Link } from './link.ts';
import type { FromNode, NodeTask, ToNode } from './node-message.ts';

const program = fileURLToPath(new URL('./node.ts', import.meta.url));

/** `paused`: by a signal; the process is there and does not run. */
type NodeState = 'down' | 'starting' | 'running' | 'paused';

/** How a process came to its end. */
export type Ended = 'as asked' | 'before it started' | 'by itself';

export class ClusterNode {
  readonly task: NodeTask;
  readonly link: Link;
  readonly #onMessage: (message: FromNode) => void;
  readonly #acknowledged = new Map<string, (taken: boolean) => void>();
  #child: ChildProcess | null = null;
  #state: NodeState = 'down';
  /** The last line that the process wrote before it ended by itself. */
  #complaint = '';

  constructor(task: NodeTask, link: Link, onMessage: (message: FromNode) => void) {
    this.task = task;
    this.link = link;
    this.#onMessage = onMessage;
  }

  get id(): string {
    return this.task.nodeId;
  }

  get state(): NodeState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  get complaint(): string {
    return this.#complaint;
  }

  /** Resolves when the process has ended; `start` again afterwards. */
  start(): Promise<Ended> {
    const child = fork(program, [JSON.stringify(this.task)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#state = 'starting';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = text.trim().slice(0, 2_000);
    });
    child.on('message', (message: FromNode) => this.#take(message));
    const killWithUs = () => child.kill('SIGKILL');
    process.once('exit', killWithUs);
    return once(child, 'exit').then(([code, signal]) => {
      const hasStarted = this.#state !== 'starting';
      process.off('exit', killWithUs);
      this.#child = null;
      this.#state = 'down';
      for (const settle of this.#acknowledged.values()) settle(false);
      if (code === 0 || signal === 'SIGKILL') return 'as asked';
      return hasStarted ? 'by itself' : 'before it started';
    });
  }

  tell(message: ToNode): void {
    // It may end at any moment; whoever waits for an answer learns it from the process's end.
    if (this.#child?.connected === true) this.#child.send(message, () => {});
  }

  /** Whether the pool has them. `false` where the node refused, ended, or said nothing for `withinMs`. */
  async submit(id: string, transactions: readonly Transaction[], withinMs: number): Promise<boolean> {
    if (this.#state !== 'running') return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = setTimeout(resolve, withinMs, false);
    this.#acknowledged.set(id, resolve);
    this.tell({ kind: 'submit', id, transactions });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#acknowledged.delete(id);
    }
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
    if (this.#child !== null) this.#state = 'paused';
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
    if (this.#state === 'paused') this.#state = 'running';
  }

  #take(message: FromNode): void {
    switch (message.kind) {
      case 'started':
        if (this.#state === 'starting') this.#state = 'running';
        break;
      case 'submitted':
      case 'refused':
        this.#acknowledged.get(message.id)?.(message.kind === 'submitted');
    }
    this.#onMessage(message);
  }
}
