import { constants } from 'node:os';

/** The command line itself is wrong: one line, exit code 2. */
export class UsageError extends Error {}

/** A mistake is one line: exit code 2 for the command line, that of the signal for a run that was stopped, 1 for the rest. */
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
