import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startProgram } from 'mempool-testkit';
import { onTestFinished } from 'vitest';
import { call } from './rpc.ts';

const program = fileURLToPath(new URL('upstream-program.ts', import.meta.url));

/** A small Ethereum node in a process of its own, for this test alone. */
export interface UpstreamProcess {
  /** With a key in its path. */
  readonly url: string;
  /** Calls one of its methods, directly. */
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
  kill(): Promise<void>;
  /** Holds the process, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** @param port 0: a free one */
export async function startUpstream(port = 0): Promise<UpstreamProcess> {
  const { child, ended } = startProgram([program, String(port)]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const [url] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line')) as [string];
  return {
    url,
    call: async (method, ...params) => (await call(url, method, ...params)).result,
    kill,
    signal: (signal) => void child.kill(signal),
  };
}
