#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { exitCodes } from './terminal/exit-code.ts';
import { StopSignals, stopSignals } from './terminal/stop-signals.ts';

const stop = new AbortController();
const signals = new StopSignals();
for (const name of stopSignals)
  process.on(name, () => {
    const effect = signals.take(name, performance.now());
    if (effect === 'stop') stop.abort();
    else if (effect === 'end') process.exit(exitCodes.interrupted);
  });
// The reader has closed the pipe, as `| head` does: the command ends without a word.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  process.stderr.write(`mempool: the output cannot be written: ${message}\n`);
  process.exit(1);
});
process.stderr.on('error', () => undefined);

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), { stdin, stdout, stderr, env, signal: stop.signal });
