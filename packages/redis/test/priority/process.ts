import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A program of this folder in a process of its own, which does not outlive the test. */
export function start(program: string, args: readonly (string | number)[]): ChildProcess {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=mempool-source', file, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Each line that it says, as JSON, until it ends. */
export async function* said<T>(child: ChildProcess): AsyncGenerator<T> {
  if (child.stdout === null) return;
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as T;
}

export async function allSaid<T>(child: ChildProcess): Promise<T[]> {
  const lines: T[] = [];
  for await (const line of said<T>(child)) lines.push(line);
  return lines;
}
