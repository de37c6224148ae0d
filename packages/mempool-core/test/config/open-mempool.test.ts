import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openMempool } from '../../src/config/open-mempool.ts';
import type { Backend } from '../../src/mempool/define-backend.ts';
import { scratch } from '../readme-backend.ts';

/** The backend under another name: it is told what the configuration says, and takes no more than `scratch` does. */
const lenient = { ...scratch, open: () => scratch.open() } as Backend;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'mempool-folder-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

it('makes the folder of a path below the storage path of Dolos', async () => {
  const root = join(await folder(), 'data');
  const mempool = { backend: 'redb', path: 'pools/one/pool.db' } as const;
  await using pool = await openMempool({ storage: { path: root, mempool } }, { sqlite: lenient });
  expect(pool.name).toBe('scratch');
  expect((await stat(join(root, 'pools', 'one'))).isDirectory()).toBe(true);
});

it('makes no folder that it was not told to, and none for a pool without a file', async () => {
  const root = join(await folder(), 'data');
  const path = join(root, 'pool.db');
  await using one = await openMempool({ backend: 'sqlite', path }, { sqlite: lenient });
  await using other = await openMempool({ backend: 'ephemeral', path, makeFolder: true }, { ephemeral: scratch });
  expect([one.name, other.name]).toEqual(['scratch', 'scratch']);
  await expect(stat(root)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('names the path where its folder cannot be made, and opens nothing', async () => {
  const root = join(await folder(), 'data');
  await writeFile(root, 'a file');
  const opening = openMempool({ storage: { path: root, mempool: { backend: 'redb' } } }, { sqlite: lenient });
  await expect(opening).rejects.toMatchObject({
    code: 'ERR_MEMPOOL_CONFIG',
    message: expect.stringContaining(join(root, 'mempool')),
    details: { field: 'path' },
  });
});

it.each(['constructor', '__proto__', 'toString'])('a backend named %s is not there', async (backend) => {
  const refused = { code: 'ERR_MEMPOOL_CONFIG', details: { field: 'backend' } };
  for (const name of [backend, `x#${backend}`])
    await expect(openMempool({ backend: name }, {}, { importModule: async () => ({}) })).rejects.toMatchObject(refused);
});

it.each([
  ['backends', undefined, {}],
  ['backends', null, {}],
  ['backends.scratch', { scratch: {} }, {}],
  ['backends.scratch', { scratch: 'scratch' }, {}],
  ['options', { scratch }, null],
  ['options', { scratch }, 'log'],
])('names what is bad in what stands beside a configuration: %s, %#', async (field, backends, options) => {
  const opening = openMempool({ backend: 'scratch' }, backends as never, options as never);
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
});
