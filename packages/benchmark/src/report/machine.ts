import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
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

/** @param rounds of the loop of fsync */
export function machineOf(folder: string, rounds: number): Machine {
  const [cpu] = cpus();
  const db = new Database(':memory:');
  const sqlite = String(db.prepare('SELECT sqlite_version()').pluck().get());
  db.close();
  return {
    node: process.versions.node,
    system: `${platform()} ${arch()}`,
    processor: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}`,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    revision: output('git', 'describe', '--always', '--dirty', '--exclude=*')?.trim() ?? null,
    betterSqlite3: versionOf('better-sqlite3'),
    sqlite,
    ioredis: versionOf('ioredis'),
    redis: /v=(\S+)/.exec(output('redis-server', '--version') ?? '')?.[1] ?? null,
    fsyncsPerSecond: spreadOf(fsyncRates(join(folder, 'fsync'), rounds)),
  };
}

/** The output of a command; `null` where it cannot be run. */
function output(command: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync(command, args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
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
  const count = 100;
  const rates = Array.from({ length: rounds }, () => {
    const start = performance.now();
    for (let i = 0; i < count; i++) {
      writeSync(file, page, 0, page.length, 0);
      fsyncSync(file);
    }
    return (count * 1_000) / (performance.now() - start);
  });
  closeSync(file);
  return rates;
}
