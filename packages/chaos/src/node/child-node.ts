import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Node } from './main.ts';
import type { Call, NodeEvent, NodeMessage, NodeSetup } from './message.ts';
import { eventually } from './wait.ts';

type Answer<K extends keyof Node> = Awaited<ReturnType<Node[K]>>;

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

// Most of what a node does at its start is to compile; two cores have more to do.
const compileCache = fileURLToPath(new URL('../../../../.data/compile-cache', import.meta.url));
const program = fileURLToPath(new URL('./main.ts', import.meta.url));

/** One node, as a child process that this process calls, stops and kills. It does not outlive this process. */
export class ChildNode {
  readonly id: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #gone: Promise<void>;
  readonly #ready = Promise.withResolvers<void>();
  #calls = 0;
  #stderr = '';

  constructor(setup: NodeSetup, onEvent: (event: NodeEvent) => void) {
    this.id = setup.elections[0]?.nodeId ?? '';
    this.#child = fork(program, [], {
      execArgv: ['--conditions=mempool-source'],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.pid = this.#child.pid ?? 0;
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#child.on('message', (message: NodeMessage) => this.#take(message, onEvent));
    // A stopped process does not notice that its parent is gone.
    const killWithUs = () => this.#child.kill('SIGKILL');
    process.once('exit', killWithUs);
    this.#gone = once(this.#child, 'close').then(() => {
      process.off('exit', killWithUs);
      this.#fail();
    });
    this.#ready.promise.catch(() => undefined);
    this.#child.send(setup);
  }

  /** Resolves when the pool is open. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves when the process has ended. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /** Whether it ended without an error, or was killed. */
  get endedAsAsked(): boolean {
    return this.#child.exitCode === 0 || this.#child.signalCode === 'SIGKILL';
  }

  /** What the process wrote to stderr. */
  get complaint(): string {
    return this.#stderr.trim().slice(-2_000);
  }

  /** Rejects with an error whose message is the code of the node's own. */
  call<K extends keyof Node>(name: K, ...args: Parameters<Node[K]>): Promise<Answer<K>> {
    this.#calls += 1;
    const id = this.#calls;
    const call: Call = { id, name, args };
    const { promise, resolve, reject } = Promise.withResolvers<Answer<K>>();
    this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject });
    // If the process is gone, or ends before it answers, `#fail` rejects the call.
    this.#child.send(call, () => {});
    // A test that fails while a call is open reports its own error only.
    promise.catch(() => undefined);
    return promise;
  }

  /** SIGSTOP, by the test or by the node itself, has taken effect. */
  async stopped(): Promise<void> {
    await eventually(() => this.#state() === 'T');
  }

  async pause(): Promise<void> {
    this.signal('SIGSTOP');
    await this.stopped();
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  /** Does nothing if the process has ended. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  /** SIGKILL ends a stopped process too. */
  async kill(): Promise<void> {
    if (this.alive) this.#child.kill('SIGKILL');
    await this.#gone;
  }

  #state(): string {
    // The name before the state may have spaces, but it is in brackets.
    return readFileSync(`/proc/${this.pid}/stat`, 'latin1').split(') ').at(-1)?.[0] ?? '';
  }

  #take(message: NodeMessage, onEvent: (event: NodeEvent) => void): void {
    switch (message.kind) {
      case 'ready':
        this.#ready.resolve();
        return;
      case 'told':
        onEvent(message.event);
        return;
      case 'done':
        this.#settle(message.id).resolve(message.value);
        return;
      case 'failed':
        this.#settle(message.id).reject(new Error(message.code));
    }
  }

  #settle(id: number): Pending {
    const pending = this.#pending.get(id);
    assert.ok(pending !== undefined, `an answer to call ${id} that was not made`);
    this.#pending.delete(id);
    return pending;
  }

  #fail(): void {
    const error = new Error(`node ${this.id} has ended\n${this.#stderr}`);
    this.#ready.reject(error);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
