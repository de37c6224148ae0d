import { PassThrough, Readable, Writable } from 'node:stream';
import { runCommandLine } from '../src/command-line.ts';

/** What a command got and said. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** What surrounds a command that runs in this process. */
export interface Around {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** True: input and output are a terminal. */
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each piece of the output. */
  readonly onOutput?: (text: string) => void;
}

/** Runs the command line in this process. */
export async function run(args: readonly string[], around: Around = {}): Promise<Ran> {
  const { input = '', env = {}, terminal = false, signal = new AbortController().signal } = around;
  const out = new Collector(around.onOutput);
  const err = new Collector();
  const stdin = terminal ? new PassThrough() : Readable.from([Buffer.from(input)]);
  if (stdin instanceof PassThrough) stdin.write(input);
  const stdout = Object.assign(out, { isTTY: terminal });
  const code = await runCommandLine(args, {
    ...{ stdin: Object.assign(stdin, { isTTY: terminal }), stdout, stderr: err },
    ...{ env, signal },
  });
  return { code, out: out.text, err: err.text };
}

class Collector extends Writable {
  text = '';
  readonly #onOutput: ((text: string) => void) | undefined;

  constructor(onOutput?: (text: string) => void) {
    super();
    this.#onOutput = onOutput;
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += String(chunk);
    this.#onOutput?.(String(chunk));
    done();
  }
}

/** The lines of an output in JSON. */
export function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
