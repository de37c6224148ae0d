import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config-file.ts';
import { isMempoolError, type MempoolError } from '../../src/contract/errors.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mempool-config-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function refusal(path: string): Promise<MempoolError> {
  const error: unknown = await loadConfig(path).catch((reason: unknown) => reason);
  if (isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) return error;
  throw error;
}

const dolos = `
[upstream]
peer_address = "node:30000"
network_magic = 18446744073709551615

[storage]
version = "v3"
path = "./data"

[storage.mempool]
backend = "redis"
url = "redis://redis:6379"
key_prefix = "dolos:mempool"
pool_size = 10
max_finalized = 10000
watcher_lock_ttl = 60

[serve.grpc]
listen_address = "[::]:50051"
`;

/** One without a section for the pool. */
const plainDolos = '[upstream]\npeer_address = "node:30000"\n[storage]\nversion = "v4"\npath = "data"\n';

it.each(['toml', 'json'])('refuses a .%s file that is no UTF-8', async (ending) => {
  const text = { toml: 'backend = "sqlite"\npath = "./pöl.db"', json: '{"backend":"sqlite","path":"./pöl.db"}' }[
    ending
  ];
  const path = await file(`latin-1.${ending}`, Buffer.from(text ?? '', 'latin1'));
  expect((await refusal(path)).message).toBe(`${path}: the file is not encoded in UTF-8`);
});

describe('what is given beside the file', () => {
  it('wins over it, and may be what it lacks', async () => {
    const path = await file('lacking.toml', 'max_finalized = 5\nurl = "redis://h"\n');
    const config = { backend: 'redis', url: 'redis://other', maxFinalized: 5 };
    expect(await loadConfig(path, { backend: 'redis', url: 'redis://other' })).toEqual(config);
    expect(await loadConfig(path, { backend: 'sqlite', path: undefined })).toMatchObject({ backend: 'sqlite' });
    await expect(loadConfig(path, { path: 'x' })).rejects.toMatchObject({ details: { field: 'backend' } });
    await expect(loadConfig(path, { backend: 'sqlite', url: 'no url' })).rejects.toMatchObject({
      details: { field: 'url' },
    });
  });

  it('does so in one without a section for the pool, which is in memory otherwise', async () => {
    const path = await file('dolos-plain.toml', plainDolos);
    expect(await loadConfig(path)).toEqual({ backend: 'ephemeral' });
    expect(await loadConfig(path, { backend: 'redb' })).toEqual({
      backend: 'sqlite',
      path: 'data/mempool',
      makeFolder: true,
    });
    await expect(loadConfig(path, { path: 'x' })).rejects.toMatchObject({
      details: { field: 'storage.mempool.backend' },
    });
    const text = await file('dolos-text.toml', '[storage]\nmempool = "redb"\n');
    await expect(loadConfig(text, { path: 'x' })).rejects.toMatchObject({ details: { field: 'storage.mempool' } });
  });

  it('leaves a backend of the file where the file says', async () => {
    const path = await file('module.toml', 'backend = "./journal.ts"\n');
    expect(await loadConfig(path, { path: 'x' })).toEqual({ backend: join(folder, 'journal.ts'), path: 'x' });
    expect(await loadConfig(path, { backend: './other.ts' })).toEqual({ backend: './other.ts' });
  });
});

describe('a configuration file', () => {
  it('may be TOML', async () => {
    const path = await file(
      'own.toml',
      'backend = "sqlite"\npath = "pool.db"\nfinalize_threshold = inf\n[options]\nx = 1\n',
    );
    expect(await loadConfig(path)).toEqual({
      backend: 'sqlite',
      path: 'pool.db',
      finalizeThreshold: Number.POSITIVE_INFINITY,
      options: { x: 1 },
    });
  });

  it('may be JSON', async () => {
    const path = await file('own.json', '{ "backend": "ephemeral", "dropThreshold": "never" }');
    expect(await loadConfig(path)).toEqual({ backend: 'ephemeral', dropThreshold: Number.POSITIVE_INFINITY });
  });

  it('names its path and the field where a value is wrong', async () => {
    const path = await file('wrong.toml', dolos.replace('key_prefix = "dolos:mempool"', 'key_prefix = 7'));
    const { message, details } = await refusal(path);
    expect(details.field).toBe('storage.mempool.key_prefix');
    expect(message.startsWith(`${path}: storage.mempool.key_prefix `)).toBe(true);
  });

  it.each([
    ['wrong.toml', 'a = 1\nb = = 2\n', 2],
    ['twice.toml', 'a = 1\n\na = 2\n', 3],
    ['token.json', '{\n  "a": 1,\n  "b": b\n}', 3],
    ['comma.json', '{\n  "a": 1,\n}', 3],
    ['missing.json', '{\n  "a": 1\n  "b": 2\n}', 3],
    ['array.json', '{\n  "a": [1,,2]\n}', 2],
    ['open.json', '{\n  "a": 1\n', 3],
    ['text.json', '{\n\n  "a": "x\n"\n}', 3],
    ['empty.json', '', 1],
    ['long.json', `{\n  "a": "${'x'.repeat(5_000)}",\n  "b": x\n}`, 3],
  ])('names its line where the syntax is wrong, in one line: %s', async (name, content, line) => {
    const path = await file(name, content);
    const { message } = await refusal(path);
    expect(message.startsWith(`${path}:${line}: `)).toBe(true);
    expect(message).not.toContain('\n');
  });

  it('that is missing, a folder or of another kind is named in one line, with the cause', async () => {
    for (const path of [join(folder, 'none.toml'), folder, await file('own.yaml', 'backend: redis')]) {
      const { message } = await refusal(path);
      expect(message.startsWith(`${path}: `)).toBe(true);
      expect(message).not.toContain('\n');
    }
    expect((await refusal(join(folder, 'none.toml'))).cause).toMatchObject({ code: 'ENOENT' });
  });
});

it('a member that every object has is an unknown field, in TOML and in JSON', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    for (const path of [
      await file('field.toml', `backend = "ephemeral"\n"${name}" = 1\n`),
      await file('field.json', `{ "backend": "ephemeral", "${name}": { "storage": {} } }`),
    ])
      expect((await refusal(path)).details.field).toBe(name);
  }
});
