import { constants } from 'node:os';

/** The command line is wrong. The program prints one line and exits with code 2. */
export class UsageError extends Error {}

/** Runs a program and prints an error as one line. Exit codes: 2 for a wrong command line, the signal's code for a stopped run, else 1. */
export async function runProgram(name: string, main: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopped = new AbortController();
  let failureCode = 1;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      failureCode = 128 + constants.signals[signal];
      stopped.abort(new Error(`stopped by ${signal}`));
    });
  try {
    await main(stopped.signal);
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : failureCode;
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
