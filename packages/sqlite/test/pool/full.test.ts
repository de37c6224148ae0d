import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { kinds } from '../kinds.ts';
import { numbers } from '../numbered.ts';
import { report } from '../program.ts';
import { poolOptions, receive, stateOf } from './filling.ts';

/** Commands that give a program a mount table of its own: as root, or as a root that is one in a namespace only. */
const namespaces = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
] as const;
const namespace: readonly string[] | undefined = namespaces.find(
  ([file, ...args]) => spawnSync(file, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
);
if (namespace === undefined)
  console.log('full disk: no right to mount one here, so only the file-size limit is tested');

/** A disk for this program alone, gone with it. */
function onSmallDisk(directory: string): string[] {
  const mount = `mount -t tmpfs -o size=24m none '${directory}' && exec "$@"`;
  return [...(namespace ?? []), 'bash', '-c', mount, 'bash'];
}

const onSizeLimit: readonly string[] = ['bash', '-c', 'ulimit -f 4000 && exec "$@"', 'bash'];

function diskDirectory(): string {
  const path = join(scratchFolder(), 'disk');
  mkdirSync(path);
  return path;
}

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

test.each(kinds)(
  'M3: at a file-size limit a receive is refused as a whole, in the file and in memory: $name, $ordering',
  async ({ name, ordering }) => {
    const result = (await report(filler, [diskDirectory(), name, ordering], onSizeLimit)) as Filled;
    expect(result).toMatchObject({ ...refused, state: await stateAfter(numbers(result.calls), ordering) });
    for (const code of result.freeing) expect(['done', refused.code]).toContain(code);
  },
);

test.each(namespace === undefined ? [] : kinds)(
  'M3: on a full disk a receive is refused as a whole; what frees room works: $name, $ordering',
  async ({ name, ordering }) => {
    const disk = diskDirectory();
    const result = (await report(filler, [disk, name, ordering], onSmallDisk(disk))) as Filled;
    expect(result).toMatchObject({ ...refused, state: await stateAfter(numbers(result.calls), ordering) });
    expect(result.freeing).toEqual(['done', 'done', 'done', 'done']);
  },
);

test.each(namespace === undefined ? [] : kinds)(
  'M3: on a disk that another program filled a receive is refused, and taken once there is room: $name, $ordering',
  async ({ name, ordering }) => {
    const disk = diskDirectory();
    const result = await report(filler, [disk, name, ordering, 'another'], onSmallDisk(disk));
    const [state, laterState] = [await stateAfter([0, 2], ordering), await stateAfter([0, 2, 1], ordering)];
    expect(result).toEqual({ ...refused, state, later: 'done', laterState });
  },
);
