import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Ordering } from 'mempool-core';
import type { ChildProcessHandle } from '../case/case.ts';
import type { TaskName } from '../case/task.ts';

/** The first message to a child: the pool to open, and the task. */
export interface Assignment {
  /** URL of the module that exports the subject. */
  readonly module: string;
  readonly pool: string;
  /** The ordering of pools that the task opens without an `ordering`. */
  readonly ordering: Ordering | undefined;
  readonly task: TaskName;
  readonly input: unknown;
}

/** Sources run unbuilt in this workspace, and so must the child; in `dist` the built program lies beside this file's bundle. */
const unbuilt: boolean = import.meta.url.endsWith('.ts');
const program: string = fileURLToPath(new URL(unbuilt ? '../child.ts' : './child.js', import.meta.url));
const sourceCondition = '--conditions=mempool-source';

const decidesModules = /^(--conditions|--import|--experimental-)/;
const awaitsValue = /^--(conditions|import)$/;

/** Options of this process for module resolution, with their values: the child must find the same modules. */
function execArgv(): string[] {
  const inherited = process.execArgv.filter(
    (option, i, all) => decidesModules.test(option) || awaitsValue.test(all[i - 1] ?? ''),
  );
  return unbuilt && !inherited.includes(sourceCondition) ? [...inherited, sourceCondition] : inherited;
}

/** A child process of the kit, and the messages it sent. */
export class ForkedChild implements ChildProcessHandle {
  readonly pid: number;
  /** Resolves once the child runs. */
  readonly started: Promise<void>;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #messages: unknown[] = [];
  #stderr = '';
  #gone = false;
  #wake: (() => void) | null = null;

  constructor(assignment: Assignment) {
    const child = fork(program, [], {
      execArgv: execArgv(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.started = new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    child.on('message', (message) => this.#take(message));
    child.once('close', () => this.#end());
    child.send(assignment);
  }

  async message(): Promise<unknown> {
    while (this.#messages.length === 0) {
      if (this.#gone) throw new Error(`the child ended without a message: ${this.#stderr}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#messages.shift();
  }

  send(message: unknown): void {
    this.#child.send(message as object);
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async remaining(): Promise<unknown[]> {
    await this.#ended;
    return this.#messages.splice(0);
  }

  async exited(): Promise<void> {
    const code = await this.#ended;
    if (code !== 0) throw new Error(`the child ended with code ${code}: ${this.#stderr}`);
  }

  #take(message: unknown): void {
    this.#messages.push(message);
    this.#wake?.();
  }

  #end(): void {
    this.#gone = true;
    this.#wake?.();
  }
}
