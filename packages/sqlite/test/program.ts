import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

function command(program: string, args: readonly string[]): string[] {
  const file = fileURLToPath(new URL(program, import.meta.url));
  return [process.execPath, '--conditions=mempool-source', file, ...args];
}

/** A process that does not outlive the running test, nor the directory that it works in. */
function spawned([file = '', ...args]: readonly string[], stdio: SpawnOptions['stdio']): ChildProcess {
  const child = spawn(file, args, { stdio });
  const closed = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return child;
}

/** Starts a program of this folder in a process of its own; what it writes to standard output is to be read. */
export function start(program: string, args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  return spawned(command(program, args), [stdin, 'pipe', 'inherit']);
}

/** Runs it to its end behind `wrapper`, a command that takes a command; what it printed, as JSON. */
export async function report(
  program: string,
  args: readonly string[],
  wrapper: readonly string[] = [],
): Promise<unknown> {
  const child = spawned([...wrapper, ...command(program, args)], ['ignore', 'pipe', 'pipe']);
  const outputs = [child.stdout, child.stderr].map((stream) => text(stream as NodeJS.ReadableStream));
  const [printed = '', complaints = ''] = await Promise.all(outputs);
  if (printed === '') throw new Error(`${program} printed nothing: ${complaints}`);
  return JSON.parse(printed);
}
