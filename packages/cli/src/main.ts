#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';

const stop = new AbortController();

/** A second signal ends the process at once. */
function interrupt(): void {
  if (stop.signal.aborted) process.exit(130);
  stop.abort();
}

process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// Nobody reads any more, as behind `| head`: nothing is left to do, and nothing to say.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`mempool: the output cannot be written: ${message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => undefined);

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), { stdin, stdout, stderr, env, signal: stop.signal });
