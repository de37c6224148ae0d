import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { start } from '../program.ts';

/** What a program says, one JSON object per line. */
export interface Word {
  readonly nodeId: string;
  /** By the host's monotonic clock. */
  readonly atMs: number;
  readonly kind: string;
  readonly name?: string;
  readonly term?: number;
  readonly token?: string;
  readonly reason?: string;
  readonly isLeader?: boolean;
  readonly outcome?: string;
  readonly leader?: string | null;
}

type Wanted = (word: Word) => boolean;

interface Waiting {
  readonly wanted: Wanted;
  readonly resolve: (word: Word) => void;
  readonly reject: (error: Error) => void;
}

/** Hears the programs of a test, in the order in which they speak. */
export class Audience {
  readonly heard: Word[] = [];
  #waiting: Waiting[] = [];

  hear(word: Word): void {
    this.heard.push(word);
    const [met, others] = [true, false].map((met) => this.#waiting.filter(({ wanted }) => wanted(word) === met));
    this.#waiting = others ?? [];
    for (const { resolve } of met ?? []) resolve(word);
  }

  /** A program failed: there is nothing more to wait for. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** The next word of the kind, of those after `heard[from]`, from one of the programs or any. */
  next(kind: string, { from = this.heard.length, by }: { from?: number; by?: Talker } = {}): Promise<Word> {
    const wanted: Wanted = (word) => word.kind === kind && (by === undefined || by.nodeId === word.nodeId);
    const said = this.heard.slice(from).find(wanted);
    if (said !== undefined) return Promise.resolve(said);
    return new Promise((resolve, reject) => this.#waiting.push({ wanted, resolve, reject }));
  }
}

/** A program in a process of its own that speaks to an audience and takes orders; killed when the test has finished. */
export class Talker {
  readonly nodeId: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(audience: Audience, program: string, nodeId: string, args: readonly string[]) {
    this.nodeId = nodeId;
    this.#child = start(program, args, 'pipe');
    this.#ended = once(this.#child, 'close');
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => audience.hear(JSON.parse(line)));
    this.#child.on('close', (code) => {
      if (code !== 0 && code !== null) audience.fail(new Error(`${nodeId} ended with ${code}`));
    });
  }

  order(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    await this.#ended;
  }

  async ended(): Promise<void> {
    await this.#ended;
  }
}
