import { UsageError } from './usage-error.ts';

/** A mistake is one line: exit code 2 for the command line, 1 for anything else. */
export async function runProgram(name: string, main: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stopped.abort(new Error(`stopped by ${signal}`)));
  try {
    await main(stopped.signal);
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    console.error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
