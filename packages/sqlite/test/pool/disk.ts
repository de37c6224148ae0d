import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Another program's file takes what is left. */
export function fillDisk(directory: string): string {
  const filler = join(directory, 'filler');
  const descriptor = openSync(filler, 'w');
  try {
    for (let block = 65_536; block >= 1; block /= 2) writeWhilePossible(descriptor, Buffer.alloc(block));
  } finally {
    closeSync(descriptor);
  }
  return filler;
}

function writeWhilePossible(descriptor: number, block: Buffer): void {
  try {
    while (writeSync(descriptor, block) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
