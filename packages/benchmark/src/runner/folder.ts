import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root: string = join(import.meta.dirname, '../../../..');

/** Where a run that left something out writes, so that it replaces no result. */
export const partialFolder: string = join(root, '.data', 'benchmark');

/** For the files of this process, on the disk of the checkout. */
export function benchFolder(): string {
  const folder = join(root, '.data', `bench-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
