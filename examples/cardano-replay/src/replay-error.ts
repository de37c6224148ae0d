import { constants } from 'node:os';

/** An error that an operator can correct. The message is one line; `main` prints it without a stack. */
export class ReplayError extends Error {
  override readonly name: string = 'ReplayError';
  readonly exitCode: number = 1;
}

/** The command line itself is wrong. */
export class UsageError extends ReplayError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** The replay was asked to end. */
export class StoppedError extends ReplayError {
  override readonly name = 'StoppedError';
  override readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}; run it again to go on`);
    this.exitCode = 128 + constants.signals[signal];
  }
}
