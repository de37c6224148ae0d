import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from '../../../../.ci/bundle.ts';
import type { Role } from './home.ts';

const source = 'packages/sequencer/src/command/main.ts';
const folder = join(root, '.data/sequencer');
const program = join(folder, source.replace(/\.ts$/, '.js'));
const compileCache = join(root, '.data/compile-cache');

/** A process ends with its parent, however that ends. */
const withParent = "data:text/javascript,process.once('disconnect',()=>process.exit(1))";

/** Bundles the modules of a process into one file: most of a start is to resolve, read and compile a thousand modules. */
export function prepare(): Promise<void> {
  return bundle([source], folder);
}

/** A stopped process does not notice that its parent is gone. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export interface Post {
  readonly validator: string;
  readonly role: Role;
  /** Of several with the same role. */
  readonly number: number;
  /** The validator's configuration. */
  readonly file: string;
  /** The file for its output; `null`: none. */
  readonly log: string | null;
}

/** One of a validator's processes. When it ends it is started again, until `stop`. */
export class Worker {
  readonly post: Post;
  kills = 0;
  /** How long each of its processes took until it worked. */
  readonly startsMs: number[] = [];
  /** How often it gave up for a while, because a service did not answer. */
  retries = 0;
  /** Its output, if it ended without being killed. */
  failure: string | null = null;
  #lives = 0;
  #child: ChildProcess | null = null;
  #isEnding = false;
  #isWorking = false;
  #working = Promise.withResolvers<void>();
  readonly #life: Promise<void>;

  constructor(post: Post) {
    this.post = post;
    this.#life = this.#live();
  }

  /** SIGKILL. False if it is down already. */
  kill(): boolean {
    if (this.#child === null || !this.#child.kill('SIGKILL')) return false;
    this.#child = null;
    this.kills += 1;
    this.#rest();
    return true;
  }

  /** Resolves when the process does its work; if it is down, when the next one does. */
  working(): Promise<void> {
    return this.#working.promise;
  }

  #rest(): void {
    if (this.#isWorking) this.#working = Promise.withResolvers();
    this.#isWorking = false;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#child?.kill('SIGTERM');
    await this.#life;
  }

  async #live(): Promise<void> {
    while (!this.#isEnding) {
      const startedMs = performance.now();
      const child = this.#start();
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = `${said}${text}`.slice(-2_000);
        if (said.includes('"msg":"working"')) this.#works(child, startedMs);
        if (this.post.log !== null)
          appendFileSync(this.post.log, `${new Date().toISOString()} ${this.post.role} ${text}`);
      });
      living.add(child);
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      living.delete(child);
      this.#rest();
      if (code === 75) this.retries += 1;
      else if (signal !== 'SIGKILL' && !(this.#isEnding && code === 0))
        this.failure ??= `${code ?? signal}: ${said.trim()}`;
    }
  }

  #works(child: ChildProcess, startedMs: number): void {
    if (child !== this.#child || this.#isWorking) return;
    this.#isWorking = true;
    this.startsMs.push(performance.now() - startedMs);
    this.#working.resolve();
  }

  /** A name of its own for each life: the dead one's lease and claims are not the new one's. */
  #start(): ChildProcess {
    const { role, number, file } = this.post;
    this.#lives += 1;
    const port = role === 'gateway' ? [] : ['--port', '0'];
    this.#child = fork(program, [role, file, '--name', `${role}-${number}.${this.#lives}`, ...port], {
      execArgv: ['--import', withParent],
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    return this.#child;
  }
}
