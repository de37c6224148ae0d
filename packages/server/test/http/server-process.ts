import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Running, startProgram } from 'mempool-testkit';

/** A server in a process of its own. */
export interface ServerProcess extends Running {
  readonly url: string;
}

/** Starts `file`, a program of this folder that prints its URL, and waits until it serves. */
export async function startProcess(file: string, ...args: readonly string[]): Promise<ServerProcess> {
  const running = startProgram([fileURLToPath(new URL(file, import.meta.url)), ...args]);
  const [url] = await Promise.race([
    once(createInterface(running.child.stdout as NodeJS.ReadableStream), 'line') as Promise<[string]>,
    running.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ]);
  return { ...running, url };
}
