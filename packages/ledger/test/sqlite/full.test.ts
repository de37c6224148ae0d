import { expect, test } from 'vitest';
import { report } from '../../../sqlite/test/program.ts';
import { diskDirectory, hasSmallDisk, onSizeLimit, onSmallDisk } from '../../../sqlite/test/small-disk.ts';

const full = { code: 'ERR_LEDGER_STORE_FULL', ok: true, faults: [] };

test('at a file-size limit a batch is refused as a whole', async () => {
  const result = (await report('../../ledger/test/sqlite/disk-filler.ts', [diskDirectory()], onSizeLimit)) as {
    posted: string;
  };
  expect(result).toMatchObject({ ...full, extra: result.posted === 'done' ? 7 : 0 });
});

test.each(hasSmallDisk ? ['post'] : [])(
  'on a full disk a batch is refused as a whole, and a %s goes through',
  async () => {
    const disk = diskDirectory();
    expect(await report('../../ledger/test/sqlite/disk-filler.ts', [disk], onSmallDisk(disk))).toEqual({
      ...full,
      posted: 'done',
      extra: 7,
    });
  },
);
