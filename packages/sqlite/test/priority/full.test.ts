import { expect, test } from 'vitest';
import { diskDirectory, namespace, onSizeLimit, onSmallDisk } from '../pool/small-disk.ts';
import { report } from '../program.ts';

const backends = ['sqlite', 'sqlite-exclusive'] as const;
const filler = './priority/disk-filler.ts';
const refused = { code: 'ERR_MEMPOOL_STORE_FULL', same: true };

interface Filled {
  readonly calls: number;
  readonly freeing: readonly string[];
}

for (const backend of backends) {
  test(`M3: a priority pool of ${backend} at a file-size limit refuses an admission as a whole, in the file and in memory`, async () => {
    const result = (await report(filler, [diskDirectory(), backend], onSizeLimit)) as Filled;
    expect(result).toMatchObject({ ...refused, pending: result.calls * 20 });
    for (const code of result.freeing) expect(['done', 'ERR_MEMPOOL_STORE_FULL']).toContain(code);
  });
}

for (const backend of namespace === undefined ? [] : backends) {
  test(`M3: a priority pool of ${backend} on a full disk refuses an admission as a whole; what frees memory goes on`, async () => {
    const disk = diskDirectory();
    const result = (await report(filler, [disk, backend], onSmallDisk(disk))) as Filled;
    expect(result).toMatchObject({ ...refused, pending: result.calls * 20 });
    expect(result.freeing).toEqual(['done', 'done', 'done', 'done']);
  });

  test(`M3: a priority pool of ${backend} on a disk that another program filled is as before, and goes on once there is room`, async () => {
    const disk = diskDirectory();
    const result = await report(filler, [disk, backend, 'another'], onSmallDisk(disk));
    expect(result).toEqual({ code: refused.code, agrees: true, later: 'done', pending: 60 });
  });
}
