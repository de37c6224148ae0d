/** One process at a time may do something to a folder. A lock whose holder was killed is taken over. */
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ReplayError } from './replay-error.ts';

const patienceMs = 30_000;
const retryMs = 20;

/** @throws ReplayError if another process keeps the lock too long */
export async function withFolderLock<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const path = join(folder, 'lock');
  await acquire(path);
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string): Promise<void> {
  const giveUpMs = performance.now() + patienceMs;
  while (!(await tryAcquire(path))) {
    const holder = await holderOf(path);
    if (holder !== null && !isRunning(holder)) await rm(path, { force: true });
    if (performance.now() > giveUpMs) throw new ReplayError(`${path} is held by process ${holder}`);
    await delay(retryMs);
  }
}

/** The lock appears with its holder's number in it: a file that was made and filled in two steps could be found empty. */
async function tryAcquire(path: string): Promise<boolean> {
  const own = `${path}.${process.pid}`;
  await writeFile(own, String(process.pid));
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function holderOf(path: string): Promise<number | null> {
  try {
    return Number(await readFile(path, 'utf8'));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
