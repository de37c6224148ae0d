import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { MempoolError } from 'mempool-core';

const suffix = '.lock';
/** The locks of this thread. */
const held = new Set<string>();

/**
 * Shows that one store has the file open. Each store first creates its own lock file, then looks for those of others. So two
 * stores that open at once see each other, and at worst both are refused. The lock file of a killed process does not count.
 */
export class Lock {
  readonly #owner = `${process.pid}-${threadId}-${randomUUID()}`;
  readonly #file: string;

  /** @throws `ERR_MEMPOOL_IN_USE` naming the other process */
  constructor(path: string) {
    this.#file = `${path}.${this.#owner}${suffix}`;
    writeFileSync(this.#file, '', { flag: 'wx' });
    held.add(this.#owner);
    try {
      refuseOthers(path, this.#owner);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(): void {
    held.delete(this.#owner);
    rmSync(this.#file, { force: true });
  }
}

function refuseOthers(path: string, self: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const owner = name.slice(prefix.length, -suffix.length);
    const file = join(dirname(path), name);
    if (owner === self) continue;
    if (isAlive(owner))
      throw new MempoolError('ERR_MEMPOOL_IN_USE', `another store has the file open: ${file}`, { key: file });
    rmSync(file, { force: true });
  }
}

function isAlive(owner: string): boolean {
  const [pid = 0, thread = 0] = owner.split('-', 2).map(Number);
  if (pid === process.pid && thread === threadId) return held.has(owner);
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
