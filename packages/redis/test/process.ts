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

/** Each line that it prints, as JSON, once it has ended. */
export async function allSaid<T>(child: ChildProcess): Promise<T[]> {
  const lines: T[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    lines.push(JSON.parse(line));
  return lines;
}
