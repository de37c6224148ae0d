/** The exit codes of the command. */
export const exitCodes = {
  ok: 0,
  /** Any failure that is not listed here. */
  failed: 1,
  /** A wrong argument or a wrong configuration. */
  usage: 2,
  /** There is no such transaction, point, file or pool. */
  notFound: 3,
  /** The pool or the server refused: a rule, a limit, a token. */
  refused: 4,
  /** `export` wrote the pool while others changed it, or `import` refuses such a file. */
  changed: 5,
  /** The same command may succeed later. */
  tryAgain: 75,
  /** Ended by SIGINT. */
  interrupted: 130,
} as const;

/** One of `exitCodes`. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The failure of a command. The message is for the operator: one line and a remedy. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  /** The code of the server's refusal; `null` for other failures. */
  readonly code: string | null;

  constructor(exitCode: ExitCode, message: string, code: string | null = null) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}
