import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ordering } from 'mempool-core';
import {
  type Backend,
  type LogLevel,
  loadConfig,
  type Mempool,
  type OpenOptions,
  openMempool,
  type Transaction,
} from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hash, ManualTimer, transaction } from '../mempool/tap.ts';

const run = promisify(execFile);
const redbMagic = Buffer.from('726564621a0aa90d0a', 'hex');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mempool-open-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The backend under another name, with the options that it was opened with. */
function recording(): { backend: Backend; opened: (OpenOptions & Record<string, unknown>)[] } {
  const opened: (OpenOptions & Record<string, unknown>)[] = [];
  const open = <O extends Ordering>(options: OpenOptions<O> = {}) => {
    opened.push({ ...options });
    const { path, url, keyPrefix, connectionName, synchronous, theirs, ...common } = options as Record<string, unknown>;
    void [path, url, keyPrefix, connectionName, synchronous, theirs];
    return ephemeral.open<O>(common);
  };
  return { backend: { ...ephemeral, open }, opened };
}

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function refusal(opening: Promise<Mempool>): Promise<unknown> {
  return opening.then(
    (pool) => pool.close(),
    (error: unknown) => error,
  );
}

describe('openMempool', () => {
  it('opens the backend of that name with the options of the configuration', async () => {
    const { backend, opened } = recording();
    const config = {
      backend: 'sqlite',
      path: join(folder, 'pool'),
      pool: 'mine',
      finalizeThreshold: 3,
      max_finalized: 50,
      election: 'blocks',
      fenced: true,
      options: { synchronous: 'normal' },
    };
    await using pool = await openMempool(config, { sqlite: backend });
    expect(await pool.submit(transaction(1))).toMatchObject({ kind: 'received' });
    expect(opened).toMatchObject([
      {
        path: config.path,
        pool: 'mine',
        finalizeThreshold: 3,
        maxFinalized: 50,
        election: 'blocks',
        fenced: true,
        synchronous: 'normal',
      },
    ]);
  });

  it('gives a payload limit and a queue limit to the pool as well', async () => {
    const config = { backend: 'ephemeral', maxTxBytes: 10, maxQueued: 1 };
    await using pool = await openMempool(config, { ephemeral });
    expect(await pool.submit(transaction(1, 11))).toEqual({ kind: 'too-large', hash: hash(1), maxTxBytes: 10 });
    const first = pool.submit(transaction(2));
    await expect(pool.submit(transaction(3))).rejects.toMatchObject({ code: 'ERR_MEMPOOL_BUSY' });
    await first;
  });

  it('opens a priority pool with its limits from a file, sweeps it and tells it the height', async () => {
    const path = await file(
      'priority.toml',
      `backend = "ephemeral"
ordering = "priority"
max_txs = 5
ttl_ms = "unlimited"
eviction = "none"
replacement_bump = 25
sweep_every_ms = 5000
keep_invalid_ms = 0`,
    );
    const timer = new ManualTimer();
    let asked = 0;
    const validate = ({ hash: of }: Transaction) => {
      asked += 1;
      return of === hash(1) ? { expiresAtHeight: 21 } : { code: 1, log: 'no', penalize: false };
    };
    const chain = { height: 20 };
    const given = { validate, schedule: timer.schedule, height: () => chain.height };
    await using pool = await openMempool(await loadConfig(path), { ephemeral }, given);
    expect(pool.ordering).toBe('priority');
    expect(await pool.setLimits({})).toMatchObject({
      maxTxs: 5,
      ttlMs: Number.POSITIVE_INFINITY,
      eviction: 'none',
      replacementBump: 25,
      maxBytes: 268_435_456,
    });
    for (const n of [1, 2, 2]) await pool.submit(transaction(n));
    expect([asked, timer.delays]).toEqual([3, [5_000]]);
    chain.height = 21;
    const expired = pool.waitFor(hash(1));
    timer.runOut();
    expect(await expired).toMatchObject({ kind: 'dropped', status: { stage: 'Dropped', reason: 'expired' } });
  });

  it('refuses a backend that was not given, and names the package it is in', async () => {
    const error = await refusal(openMempool({ backend: 'redis', url: 'redis://localhost' }, { ephemeral }));
    expect(error).toMatchObject({ code: 'ERR_MEMPOOL_CONFIG', details: { field: 'backend' } });
    expect(String(error)).toContain('mempool-redis');
  });

  it('refuses several nodes on a backend that cannot be shared', async () => {
    const config = { backend: 'ephemeral', deployment: 'multi-node' } as const;
    const error = await refusal(openMempool(config, { ephemeral }));
    expect(error).toMatchObject({ code: 'ERR_MEMPOOL_UNSUPPORTED', details: { field: 'deployment' } });
  });
});

describe('a path in place of a configuration', () => {
  it('names the file, whose fields those given beside it replace', async () => {
    const path = await file('own.toml', 'backend = "redis"\nurl = "redis://h"\nmax_txs = 5\nconnection_name = "one"\n');
    const { backend, opened } = recording();
    await using pool = await openMempool(path, { redis: backend }, { maxTxs: 9, pool: 'other', maxQueued: 1 });
    expect((await pool.setLimits({})).maxTxs).toBe(9);
    expect(opened).toMatchObject([{ url: 'redis://h', connectionName: 'one', maxTxs: 9, pool: 'other' }]);
    const [one, two] = await Promise.allSettled([pool.submit(transaction(1)), pool.submit(transaction(2))]);
    expect([one.status, two]).toMatchObject(['fulfilled', { reason: { code: 'ERR_MEMPOOL_BUSY' } }]);
  });
});

it.each([
  ['validat', 'validate'],
  ['maxTx', 'maxTxs'],
  ['max_txs', 'maxTxs'],
  ['conectionName', 'connectionName'],
  ['importmodule', 'importModule'],
])('an option %s is refused, with the name %s', async (field, meant) => {
  const given: object = { [field]: 1 };
  const error = await refusal(openMempool({ backend: 'ephemeral' }, { ephemeral }, given));
  expect(error).toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field } });
  expect(String(error)).toContain(`did you mean ${meant}?`);
});

describe('a third party’s backend', () => {
  it('is imported by the name of its module, with every field of the configuration', async () => {
    const { backend, opened } = recording();
    const config = { backend: 'their-backend', url: 'redis://localhost', options: { theirs: 1 } };
    const importModule = async (specifier: string) => (specifier === 'their-backend' ? { default: backend } : {});
    await using pool = await openMempool(config, {}, { importModule });
    expect(pool.name).toBe('ephemeral');
    expect(opened).toMatchObject([{ url: 'redis://localhost', theirs: 1 }]);
  });

  it('is the only backend that the module exports, or the one named behind #', async () => {
    const module = { helper: 7, one: ephemeral };
    const importModule = async () => module;
    await using only = await openMempool({ backend: 'theirs' }, {}, { importModule });
    await using named = await openMempool({ backend: 'theirs#one' }, {}, { importModule });
    expect([only.name, named.name]).toEqual(['ephemeral', 'ephemeral']);
    for (const backend of ['theirs#helper', 'theirs#none'])
      expect(await refusal(openMempool({ backend }, {}, { importModule }))).toMatchObject({
        code: 'ERR_MEMPOOL_CONFIG',
        details: { field: 'backend' },
      });
  });

  it('named by a relative path in a file lies beside the file', async () => {
    const source = `export default { name: 'theirs', capabilities: {}, open: () => { throw new Error('found'); } };`;
    await file('theirs.mjs', source);
    const path = await file('theirs.toml', 'backend = "./theirs.mjs"');
    expect(await refusal(openMempool(await loadConfig(path), {}))).toMatchObject({ message: 'found' });
  });

  it('named by a package is found from where the program runs', async () => {
    const home = join(folder, 'node_modules', 'their-package');
    await mkdir(home, { recursive: true });
    const backend = `{ name: 'theirs', capabilities: {}, open: () => { throw new Error('found'); } }`;
    await writeFile(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
    await writeFile(join(home, 'index.js'), `export const theirs = ${backend};`);
    const core = import.meta.resolve('mempool-core');
    const program = await file(
      'program.mjs',
      `import { openMempool } from '${core}';
      await openMempool({ backend: 'their-package' }, {}).catch((error) => console.log(error.message));`,
    );
    const { stdout } = await run(process.execPath, [...process.execArgv, program], { cwd: folder });
    expect(stdout.trim()).toBe('found');
  });

  it('that is not there is a configuration error with a hint, and keeps the cause', async () => {
    const error = await refusal(openMempool({ backend: 'in_memry' }, { ephemeral }));
    expect(error).toMatchObject({ code: 'ERR_MEMPOOL_CONFIG', details: { field: 'backend' } });
    expect(String(error)).toContain('in_memory');
    expect((error as Error).cause).toBeInstanceOf(Error);
  });
});

describe('a Dolos configuration', () => {
  it('in_memory is ephemeral; what has no effect gets one note each', async () => {
    const transitions: [LogLevel, string][] = [];
    const log = (level: LogLevel, message: string) => void transitions.push([level, message]);
    const section = { backend: 'in_memory', pool_size: 10, max_finalized: 100, watcher_lock_ttl: 60 } as const;
    await using pool = await openMempool({ storage: { mempool: section } }, { ephemeral }, { log });
    expect(pool.name).toBe('ephemeral');
    expect(transitions).toEqual([['info', expect.stringContaining('pool_size has no effect')]]);
  });

  it('a path that holds a redb file is refused and left as it is', async () => {
    const { backend, opened } = recording();
    const content = Buffer.concat([redbMagic, Buffer.alloc(500, 7)]);
    const path = await file('mempool.redb', content);
    const error = await refusal(openMempool({ backend: 'redb', path }, { sqlite: backend }));
    expect(error).toMatchObject({ code: 'ERR_MEMPOOL_CONFIG', details: { field: 'path' } });
    expect(opened).toEqual([]);
    expect((await readFile(path)).equals(content)).toBe(true);
  });

  it.each([
    ['missing', null],
    ['empty', Buffer.alloc(0)],
    ['another', Buffer.from('redbird')],
  ])('a path with a file that is %s is the backend’s to judge', async (name, content) => {
    const { backend, opened } = recording();
    const path = content === null ? join(folder, name) : await file(name, content);
    await using pool = await openMempool({ backend: 'redb', path }, { sqlite: backend });
    expect([pool.name, opened.length]).toEqual(['ephemeral', 1]);
  });
});
