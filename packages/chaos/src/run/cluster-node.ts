/** One node of a run: a process that is started, killed, stopped, cut off, and started again under the same id. */
import type { SourceStep, Transaction } from 'mempool-core';
import type { TcpProxy } from 'mempool-testkit';
import { ChildNode } from '../node/child-node.ts';
import type { NodeEvent, NodeSetup } from '../node/message.ts';

/** `paused`: stopped by a signal. */
type NodeState = 'down' | 'starting' | 'running' | 'paused';

/** How a process came to its end. */
export type Ended = 'as asked' | 'before it started' | 'by itself';

export class ClusterNode {
  readonly id: string;
  /** The node's connections to Redis. */
  readonly link: TcpProxy;
  readonly #setup: NodeSetup;
  readonly #onEvent: (event: NodeEvent) => void;
  #child: ChildNode | null = null;
  #state: NodeState = 'down';
  #knowsChain = false;
  #complaint = '';

  constructor(id: string, setup: NodeSetup, link: TcpProxy, onEvent: (event: NodeEvent) => void) {
    this.id = id;
    this.link = link;
    this.#setup = setup;
    this.#onEvent = onEvent;
  }

  get state(): NodeState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** What a process that ended by itself wrote to stderr. */
  get complaint(): string {
    return this.#complaint;
  }

  /** Resolves when the process has ended; `start` again afterwards. `chain`: its steps so far, asked for when the node is ready. */
  async start(chain: () => readonly SourceStep[]): Promise<Ended> {
    const child = new ChildNode(this.#setup, this.#onEvent);
    this.#child = child;
    this.#state = 'starting';
    const isStarted = this.#begin(child, chain);
    await child.gone;
    const hasStarted = await isStarted;
    this.#complaint = child.complaint;
    this.#child = null;
    this.#state = 'down';
    this.#knowsChain = false;
    if (child.endedAsAsked && hasStarted !== false) return 'as asked';
    return hasStarted ? 'by itself' : 'before it started';
  }

  grow(step: SourceStep): void {
    if (this.#knowsChain) void this.#child?.call('grow', [step]);
  }

  /** Submits transactions. Resolves with whether the pool has them. `false` if the node refused, ended, or did not answer within that time. */
  async submit(id: string, transactions: readonly Transaction[], withinMs: number): Promise<boolean> {
    if (this.#state !== 'running' || this.#child === null) return false;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, withinMs, false);
    const submitted = this.#child.call('submit', id, transactions).then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([submitted, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  resign(): void {
    void this.#child?.call('resign');
  }

  /** Asks the process to stop its work and end. */
  stop(): void {
    void this.#child?.call('end');
  }

  kill(): void {
    void this.#child?.kill();
  }

  pause(): void {
    this.#child?.signal('SIGSTOP');
    if (this.#child !== null) this.#state = 'paused';
  }

  resume(): void {
    this.#child?.signal('SIGCONT');
    if (this.#state === 'paused') this.#state = 'running';
  }

  /** `false`: it could not start, and is killed. `null`: it ended before. */
  async #begin(child: ChildNode, chain: () => readonly SourceStep[]): Promise<boolean | null> {
    try {
      await child.ready;
      void child.call('grow', chain());
      this.#knowsChain = true;
      await child.call('start');
      if (this.#state === 'starting') this.#state = 'running';
      return true;
    } catch {
      if (!child.alive) return null;
      await child.kill();
      return false;
    }
  }
}
