import { join } from 'node:path';
import type { Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { orderings } from '../kinds.ts';
import { numbers } from '../numbered.ts';
import { report } from '../program.ts';
import { diskDirectory, hasSmallDisk, onSizeLimit, onSmallDisk } from '../small-disk.ts';
import { poolOptions, receive, stateOf } from './filling.ts';

const filler = './pool/disk-filler.ts';

interface Filled {
  readonly calls: number;
  readonly freeing: readonly string[];
}

/** Of a pool that got these calls and no other: what a refused call must leave. */
async function stateAfter(calls: readonly number[], ordering: Ordering): Promise<string> {
  const options = { ...poolOptions(ordering), path: join(scratchFolder(), 'pool.db'), synchronous: 'normal' } as const;
  await using store = await sqlite.open(options);
  for (const n of calls) await receive(store, n);
  return await stateOf(store);
}

const refused = { code: 'ERR_MEMPOOL_STORE_FULL' };

test.each(orderings)(
  'M3: at a file-size limit a receive is refused as a whole, in the file and in memory: %s',
  async (ordering) => {
    const result = (await report(filler, [diskDirectory(), ordering], onSizeLimit)) as Filled;
    expect(result).toMatchObject({ ...refused, state: await stateAfter(numbers(result.calls), ordering) });
    for (const code of result.freeing) expect(['done', refused.code]).toContain(code);
  },
);

test.each(hasSmallDisk ? orderings : [])(
  'M3: on a full disk a receive is refused as a whole; what frees room works: %s',
  async (ordering) => {
    const disk = diskDirectory();
    const result = (await report(filler, [disk, ordering], onSmallDisk(disk))) as Filled;
    expect(result).toMatchObject({ ...refused, state: await stateAfter(numbers(result.calls), ordering) });
    expect(result.freeing).toEqual(['done', 'done', 'done', 'done']);
  },
);

test.each(hasSmallDisk ? orderings : [])(
  'M3: on a disk that another program filled a receive is refused, and taken once there is room: %s',
  async (ordering) => {
    const disk = diskDirectory();
    const result = await report(filler, [disk, ordering, 'another'], onSmallDisk(disk));
    const [state, laterState] = [await stateAfter([0, 2], ordering), await stateAfter([0, 2, 1], ordering)];
    expect(result).toEqual({ ...refused, state, later: 'done', laterState });
  },
);

test.each(hasSmallDisk ? orderings : [])(
  'M3: on a disk that the log filled while a reader kept an old state, a receive is taken once the reader has left: %s',
  async (ordering) => {
    const disk = diskDirectory();
    const result = await report(filler, [disk, ordering, 'reader'], onSmallDisk(disk));
    expect(result).toEqual({ ...refused, later: 'done' });
  },
);

test.runIf(hasSmallDisk)(
  'M3: on a full disk each of many stores that write at once has its receive refused',
  async () => {
    const disk = diskDirectory();
    const result = await report(filler, [disk, 'priority', 'turn'], onSmallDisk(disk));
    const [codes, later] = [numbers(4).map(() => refused.code), numbers(4).map(() => 'done')];
    expect(result).toEqual({ codes, received: 0, later });
  },
);
