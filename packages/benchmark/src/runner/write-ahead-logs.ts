import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../setup/clock.ts';

const ending = '-wal';

/**
 * The write-ahead logs of the databases in a folder, each with a connection of its own. SQLite checkpoints a log once in some
 * thousand pages, so all of it falls into one turn and nothing into the next. Here each turn bears the checkpoint of its own pages.
 */
export class WriteAheadLogs {
  readonly #connections: readonly Database.Database[];

  constructor(folder: string) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
    this.#connections = names.map((name) => new Database(join(folder, name.slice(0, -ending.length))));
  }

  /** Checkpoints what others left in them. */
  settle(): void {
    for (const connection of this.#connections) connection.pragma('wal_checkpoint(PASSIVE)');
  }

  /** Milliseconds of a checkpoint of everything written since `settle`. */
  checkpoint(clock: Clock): number {
    const written = this.#connections.filter(hasFrames);
    const start = clock();
    for (const connection of written) connection.pragma('wal_checkpoint(PASSIVE)');
    return clock() - start;
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }
}

function hasFrames(connection: Database.Database): boolean {
  const [{ log, checkpointed }] = connection.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return log > checkpointed;
}
