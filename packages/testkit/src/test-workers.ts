import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isMempoolError, type Mempool, type WorkDone } from 'mempool-core';
import { expect, onTestFinished } from 'vitest';
import type { WorkerLine } from './worker.ts';

/** A pool that processes share. `command` starts a worker on it; the last argument is its gate. */
export interface SharedPool {
  readonly store: Mempool;
  readonly command: readonly string[];
}

class WorkerProcess {
  /** The attempt number of each transaction that the worker has begun, by hash. */
  readonly begun = new Map<string, number>();
  readonly #child;
  readonly #done: Promise<WorkDone | null>;
  #hear: () => void = () => undefined;

  constructor(command: readonly string[], gate: 'shut' | 'open') {
    this.#child = spawn(process.execPath, ['--conditions=mempool-source', ...command, gate], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void this.#child.kill('SIGKILL'));
    this.#done = this.#listen();
  }

  /** Resolves when the worker has begun this many transactions. */
  async hasBegun(count: number): Promise<void> {
    while (this.begun.size < count) await new Promise<void>((resolve) => (this.#hear = resolve));
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    expect(this.#child.kill(signal)).toBe(true);
  }

  /** Lets the worker's handlers end and stops it. Returns the result of its work. */
  async end(): Promise<WorkDone | null> {
    this.#child.stdin?.end('go');
    this.#child.kill('SIGTERM');
    return this.#done;
  }

  async #listen(): Promise<WorkDone | null> {
    let done: WorkDone | null = null;
    for await (const text of createInterface({ input: this.#child.stdout as NodeJS.ReadableStream })) {
      const line = JSON.parse(text) as WorkerLine;
      if ('done' in line) done = line.done;
      else this.begun.set(line.begun, line.attempt);
      this.#hear();
    }
    return done;
  }
}

const hashes = Array.from({ length: 12 }, (_, i) => (i + 1).toString(16).padStart(64, '0'));

/**
 * Tests three workers: one is paused until after the end of its claim, one is killed, one does all the work. Then the paused
 * one continues, and must not change anything that another has done (P19, P21).
 */
export async function testWorkers({ store, command }: SharedPool): Promise<void> {
  const pool = store;
  await pool.receive(hashes.map((hash) => ({ hash, payload: Buffer.from(hash), payloadType: 0 })));
  const [stopped, killed] = [new WorkerProcess(command, 'shut'), new WorkerProcess(command, 'shut')];
  await Promise.all([stopped.hasBegun(4), killed.hasBegun(4)]);
  stopped.signal('SIGSTOP');
  killed.signal('SIGKILL');
  // In the middle of a transaction on a file it holds the lock, and nobody could do its work.
  while (await isLocked(pool)) {
    stopped.signal('SIGCONT');
    stopped.signal('SIGSTOP');
  }
  const rescuer = new WorkerProcess(command, 'open');
  for (const hash of hashes)
    expect(await pool.waitFor(hash, { stage: 'Acknowledged' })).toMatchObject({ status: { stage: 'Acknowledged' } });
  const { lastEventSeq } = await pool.usage();
  stopped.signal('SIGCONT');
  expect(await stopped.end()).toEqual({ acknowledged: 0, completed: 0, released: 0, failed: 0, lost: 4 });
  expect(await rescuer.end()).toEqual({ acknowledged: 12, completed: 0, released: 0, failed: 0, lost: 0 });
  expect(await pool.usage()).toMatchObject({ acknowledged: 12, lastEventSeq });
  const left = new Set([...stopped.begun.keys(), ...killed.begun.keys()]);
  expect(rescuer.begun).toEqual(new Map(hashes.map((hash) => [hash, left.has(hash) ? 2 : 1])));
}

async function isLocked(pool: Mempool): Promise<boolean> {
  try {
    await pool.sweep();
    return false;
  } catch (error) {
    if (!isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE')) throw error;
    return true;
  }
}
