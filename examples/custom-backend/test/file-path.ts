import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A file for one test, in a directory that goes with it. */
export function filePath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'pool.journal');
}
