import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { report } from './program.ts';
import { scratch } from './scratch.ts';

const backends = ['sqlite', 'sqlite-exclusive'] as const;

/** Commands that give a program a mount table of its own: as root, or as a root that is one in a namespace only. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
] as const;
const namespace = namespaces.find(
  ([file, ...args]) => spawnSync(file, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
);
if (namespace === undefined)
  console.log('full disk: no right to mount one here, so only the file-size limit is tested');

/** A disk of its own for the program, gone with it. */
function onSmallDisk(directory: string): string[] {
  const mount = `mount -t tmpfs -o size=24m none '${directory}' && exec "$@"`;
  return [...(namespace ?? []), 'bash', '-c', mount, 'bash'];
}

const onSizeLimit: string[] = ['bash', '-c', 'ulimit -f 4000 && exec "$@"', 'bash'];

function directory(): string {
  const path = join(scratch(), 'disk');
  mkdirSync(path);
  return path;
}

interface Filled {
  readonly written: number;
  readonly freeing: readonly string[];
}

function untouched(written: number): Record<string, unknown> {
  return { code: 'ERR_MEMPOOL_STORE_FULL', written, pending: written, lastSeq: written, lastEventSeq: written };
}

for (const backend of backends) {
  test(`M3: ${backend} at a file-size limit refuses a receive as a whole and can still be read`, async () => {
    const result = (await report('./disk-filler.ts', [directory(), backend], onSizeLimit)) as Filled;
    expect(result).toMatchObject({ ...untouched(result.written), stages: ['Unknown', 'Pending'] });
    expect(result).toMatchObject({ page: Math.min(result.written, 1000) });
    for (const code of result.freeing) expect(['done', 'ERR_MEMPOOL_STORE_FULL']).toContain(code);
  });
}

for (const backend of namespace === undefined ? [] : backends) {
  test(`M3: ${backend} on a full disk refuses a receive as a whole; drop, confirm and rollback go on`, async () => {
    const disk = directory();
    const result = (await report('./disk-filler.ts', [disk, backend], onSmallDisk(disk))) as Filled;
    expect(result).toMatchObject({ ...untouched(result.written), stages: ['Unknown', 'Pending'] });
    expect(result).toMatchObject({ page: 1000, freeing: ['done', 'done', 'done'] });
  });

  test(`M3: ${backend} on a disk that another program filled refuses a receive, and takes it once there is room`, async () => {
    const disk = directory();
    const result = await report('./disk-filler.ts', [disk, backend, 'another'], onSmallDisk(disk));
    expect(result).toMatchObject({ code: 'ERR_MEMPOOL_STORE_FULL', pending: 20, later: 'done', pendingLater: 40 });
  });
}
