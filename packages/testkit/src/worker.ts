import type { Mempool, WorkDone } from 'mempool-core';

/** The lines of output of a worker process, each one JSON value. */
export type WorkerLine =
  | { readonly begun: string; readonly attempt: number }
  /** The last line, with the result of the work. */
  | { readonly done: WorkDone };

/**
 * Works on the pool until SIGTERM, as the main function of a process. If `gate` is `shut`, handlers wait until there is
 * input on standard input.
 */
export async function runWorker(pool: Mempool, gate: string): Promise<void> {
  const say = (line: WorkerLine): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  const opened = new Promise<unknown>((resolve) => process.stdin.once('data', resolve));
  const done = await pool.work(
    async ({ hash }, { attempt }) => {
      say({ begun: hash, attempt });
      if (gate === 'shut') await opened;
    },
    { concurrency: 4, claimMs: 600, signal: ending.signal },
  );
  await pool.close();
  say({ done });
  process.stdin.destroy();
}
