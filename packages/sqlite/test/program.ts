import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

function command(program: string, args: readonly string[]): string[] {
  const file = fileURLToPath(new URL(program, import.meta.url));
  return [process.execPath, '--conditions=mempool-source', file, ...args];
}

/** Starts a program of this folder in a process of its own; what it writes to standard output is to be read. */
export function start(program: string, args: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore'): ChildProcess {
  const [node = '', ...rest] = command(program, args);
  return spawn(node, rest, { stdio: [stdin, 'pipe', 'inherit'] });
}

/** Runs it to its end behind `wrapper`, a command that takes a command; what it printed, as JSON. */
export async function report(
  program: string,
  args: readonly string[],
  wrapper: readonly string[] = [],
): Promise<unknown> {
  const [file = '', ...rest] = [...wrapper, ...command(program, args)];
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await text(child.stdout));
}
