import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { toJsonValue } from 'mempool-core';
import { exitCodes, Failure } from './exit-code.ts';

/** The parts of the process that a command uses. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: Writable & { readonly isTTY?: boolean | undefined };
  readonly stderr: Writable & { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at SIGINT, SIGTERM and SIGHUP, and if the reader of the output has closed it. */
  readonly signal: AbortSignal;
}

/** The styles of the output. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** The input and the output of a command. */
export class Terminal {
  readonly env: Surroundings['env'];
  readonly signal: AbortSignal;
  readonly stdin: Surroundings['stdin'];
  readonly #stdout: Surroundings['stdout'];
  readonly #stderr: Surroundings['stderr'];
  /** True if the output is JSON. */
  readonly json: boolean;
  readonly #colours: boolean;

  constructor(around: Surroundings, { json, color }: { readonly json: boolean; readonly color: boolean }) {
    this.env = around.env;
    this.signal = around.signal;
    this.stdin = around.stdin;
    this.#stdout = around.stdout;
    this.#stderr = around.stderr;
    this.json = json;
    this.#colours = color && around.stdout.isTTY === true && !around.env.NO_COLOR && around.env.TERM !== 'dumb';
  }

  /** Writes text; resolves when there is room for more, so that a long output stays out of memory. */
  async write(text: string): Promise<void> {
    this.signal.throwIfAborted();
    if (this.#stdout.write(text)) return;
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        this.#stdout.off('drain', end);
        this.signal.removeEventListener('abort', end);
        if (this.signal.aborted) reject(this.signal.reason);
        else resolve();
      };
      this.#stdout.once('drain', end);
      this.signal.addEventListener('abort', end, { once: true });
    });
  }

  line(text = ''): Promise<void> {
    return this.write(`${text}\n`);
  }

  /** Writes an answer, as one line of JSON or as text for people. */
  async answer(answer: unknown, text: (style: Terminal['style']) => string): Promise<void> {
    if (this.json) await this.line(asJson(answer));
    else {
      const lines = text(this.style);
      if (lines !== '') await this.line(lines);
    }
  }

  /** The stream for notes, errors and logs. */
  get errors(): Writable {
    return this.#stderr;
  }

  /** Writes a note to `errors`. */
  note(text: string): void {
    this.#stderr.write(`${plain(text)}\n`);
  }

  /** Returns the text in a style, if the output shows styles. */
  readonly style = (style: Style, text: string): string =>
    this.#colours ? styleText(style, text, { validateStream: false }) : text;

  /**
   * Asks for confirmation before an action that cannot be undone.
   * @throws `Failure` with `usage` if the input is not interactive, with `failed` if the answer is no
   */
  async confirm(question: string): Promise<void> {
    if (this.stdin.isTTY !== true) throw new Failure(exitCodes.usage, `${question}: no terminal to ask on; add --yes`);
    const prompt = createInterface({ input: this.stdin, output: this.#stderr });
    try {
      const answer = await prompt.question(`${question}? [y/N] `, { signal: this.signal });
      if (!/^y(?:es)?$/i.test(answer.trim())) throw new Failure(exitCodes.failed, 'nothing was done');
    } finally {
      prompt.close();
    }
  }
}

/** Returns an answer as one line of JSON, without control characters of terminals. */
export function asJson(answer: unknown): string {
  return escaped(JSON.stringify(toJsonValue(answer)));
}

/** Returns untrusted text without control characters of terminals. */
export function plain(text: string): string {
  return escaped(text.replaceAll('\n', ' '));
}

function escaped(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
