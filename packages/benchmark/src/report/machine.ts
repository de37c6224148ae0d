import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { BenchServer } from '../setup/redis-server.ts';
import { type Spread, spreadOf } from './spread.ts';

/** The machine and the software of a run. */
export interface Machine {
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly memoryGib: number;
  readonly revision: string | null;
  readonly betterSqlite3: string;
  readonly sqlite: string;
  readonly ioredis: string;
  readonly redis: string | null;
  /** Writes of 4 KiB in a second, each followed by fsync. */
  readonly fsyncsPerSecond: Spread;
}

/** @param redis the server that a run uses; @param rounds of the loop of fsync */
export async function machineOf(folder: string, redis: BenchServer | null, rounds: number): Promise<Machine> {
  const [cpu] = cpus();
  const db = new Database(':memory:');
  const sqlite = String(db.prepare('SELECT sqlite_version()').pluck().get());
  db.close();
  const server = redis && (await redis.client.info('server'));
  return {
    node: process.versions.node,
    system: `${platform()} ${arch()}`,
    processor: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    revision: revisionOf(import.meta.dirname),
    betterSqlite3: versionOf('better-sqlite3'),
    sqlite,
    ioredis: versionOf('ioredis'),
    redis: server && (/redis_version:(\S+)/.exec(server)?.[1] ?? 'unknown'),
    fsyncsPerSecond: spreadOf(fsyncRates(join(folder, 'fsync'), rounds)),
  };
}

/** The commit checked out there; `null` if it is not a checkout. */
export function revisionOf(folder: string): string | null {
  try {
    const flags = ['describe', '--always', '--dirty', '--exclude=*'];
    return execFileSync('git', flags, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
  } catch {
    return null;
  }
}

function versionOf(dependency: string): string {
  const { version } = createRequire(import.meta.url)(`${dependency}/package.json`) as { version: string };
  return version;
}

function fsyncRates(path: string, rounds: number): number[] {
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4_096, 1);
  const rate = (): number => {
    const start = performance.now();
    const count = 100;
    for (let i = 0; i < count; i++) {
      writeSync(file, page, 0, page.length, 0);
      fsyncSync(file);
    }
    return (count * 1_000) / (performance.now() - start);
  };
  try {
    return Array.from({ length: rounds }, rate);
  } finally {
    closeSync(file);
  }
}
