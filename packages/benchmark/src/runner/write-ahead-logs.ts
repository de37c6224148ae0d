import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from './clock.ts';

const ending = '-wal';

interface Frames {
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * The write-ahead logs of the databases in a folder, each looked after by a connection of its own. SQLite writes a log back into
 * its file once in some thousand pages, which is all in one turn and nothing in the next: here a turn has what it wrote itself.
 */
export class WriteAheadLogs {
  readonly #connections: readonly Database.Database[];

  constructor(folder: string) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
    this.#connections = names.map((name) => new Database(join(folder, name.slice(0, -ending.length))));
  }

  /** Writes back what others left in them. */
  settle(): void {
    for (const connection of this.#connections) connection.pragma('wal_checkpoint(PASSIVE)');
  }

  /** Milliseconds to write back what was written since `settle`. */
  writeBack(clock: Clock): number {
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
  const [frames] = connection.pragma('wal_checkpoint(NOOP)') as [Frames];
  return frames.log > frames.checkpointed;
}
