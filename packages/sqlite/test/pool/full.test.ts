import { expect, test } from 'vitest';
import { report } from '../program.ts';
import { diskDirectory, namespace, onSizeLimit, onSmallDisk } from './small-disk.ts';

const backends = ['sqlite', 'sqlite-exclusive'] as const;

interface Filled {
  readonly written: number;
  readonly freeing: readonly string[];
}

function untouched(written: number): Record<string, unknown> {
  return { code: 'ERR_MEMPOOL_STORE_FULL', written, pending: written, lastSeq: written, lastEventSeq: written };
}

for (const backend of backends) {
  test(`M3: ${backend} at a file-size limit refuses a receive as a whole and can still be read`, async () => {
    const result = (await report('./pool/disk-filler.ts', [diskDirectory(), backend], onSizeLimit)) as Filled;
    expect(result).toMatchObject({ ...untouched(result.written), stages: ['Unknown', 'Pending'] });
    expect(result).toMatchObject({ page: Math.min(result.written, 1000) });
    for (const code of result.freeing) expect(['done', 'ERR_MEMPOOL_STORE_FULL']).toContain(code);
  });
}

for (const backend of namespace === undefined ? [] : backends) {
  test(`M3: ${backend} on a full disk refuses a receive as a whole; drop, confirm and rollback go on`, async () => {
    const disk = diskDirectory();
    const result = (await report('./pool/disk-filler.ts', [disk, backend], onSmallDisk(disk))) as Filled;
    expect(result).toMatchObject({ ...untouched(result.written), stages: ['Unknown', 'Pending'] });
    expect(result).toMatchObject({ page: 1000, freeing: ['done', 'done', 'done'] });
  });

  test(`M3: ${backend} on a disk that another program filled refuses a receive, and takes it once there is room`, async () => {
    const disk = diskDirectory();
    const result = await report('./pool/disk-filler.ts', [disk, backend, 'another'], onSmallDisk(disk));
    expect(result).toMatchObject({ code: 'ERR_MEMPOOL_STORE_FULL', pending: 20, later: 'done', pendingLater: 40 });
  });
}
