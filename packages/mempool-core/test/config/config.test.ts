import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConfigFields, parseConfig } from '../../src/config/config.ts';
import { isMempoolError } from '../../src/contract/errors.ts';

/** The field and the message of a refusal. */
function refusal(given: unknown): { field: string | undefined; message: string } {
  try {
    parseConfig(given);
  } catch (error) {
    if (isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) return { field: error.details.field, message: error.message };
    throw error;
  }
  return { field: 'nothing refused', message: '' };
}

/** Every field there is. */
const whole: Required<ConfigFields> = {
  backend: 'redis',
  deployment: 'multi-node',
  pool: 'mine',
  finalizeThreshold: 3,
  dropThreshold: Number.POSITIVE_INFINITY,
  maxFinalized: 1,
  maxEvents: 2,
  maxRollback: 3,
  maxTxBytes: 4,
  inflightTtlMs: Number.POSITIVE_INFINITY,
  timeoutMs: 5,
  maxQueued: 6,
  ordering: 'priority',
  maxTxs: 10,
  maxBytes: 11,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 12,
  maxParked: 0,
  maxProtected: 0,
  maxAncestors: 13,
  maxDescendants: 14,
  maxEvictions: 15,
  replacementBump: 16,
  ttlMs: 17,
  ttlBlocks: 18,
  parkedTtlMs: Number.POSITIVE_INFINITY,
  minPriority: -(2n ** 63n),
  eviction: 'none',
  sweepEveryMs: 19,
  maxInvalid: 20,
  keepInvalidMs: 0,
  path: 'p',
  makeFolder: true,
  url: 'rediss://user:secret@localhost:6379/1',
  cluster: ['redis-1:6379', '[::1]:7000'],
  natMap: { '10.0.0.1:6379': 'redis-1:6379' },
  sentinels: ['10.0.0.1:26379'],
  masterName: 'main',
  sentinelUsername: 'watcher',
  sentinelPassword: 'secret',
  minReplicas: 1,
  replicaTimeoutMs: 21,
  connectionName: 'relay-1',
  keyPrefix: 'k',
  election: 'watcher.2',
  fenced: true,
  watcherLockTtlMs: 7,
  options: { theirs: 1 },
  poolSize: 8,
  cache: 9,
};

describe('a configuration', () => {
  it('with every field is taken, and may be given again', () => {
    expect(parseConfig(whole)).toEqual(whole);
    expect(parseConfig(parseConfig(whole))).toEqual(whole);
  });

  it('may be written like_this', () => {
    const snake = Object.entries(whole).map(([name, value]) => [
      name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      value,
    ]);
    expect(parseConfig(Object.fromEntries(snake))).toEqual(whole);
  });

  it('says "never" or "unlimited" where JSON has no infinity, and may leave a field undefined', () => {
    const given = { backend: 'in_memory', finalize_threshold: 'never', max_txs: 'unlimited', path: undefined };
    expect(parseConfig(given)).toEqual({ backend: 'ephemeral', finalizeThreshold: Infinity, maxTxs: Infinity });
  });

  it.each(Object.keys(whole))('names the field that is wrong: %s', (field) => {
    for (const bad of [null, Symbol('bad'), [], new Date(0)]) {
      const { field: named, message } = refusal({ ...whole, [field]: bad });
      expect(named).toBe(field);
      expect(message).toMatch(new RegExp(`^${field} `));
    }
  });

  it.each([
    ['pool', 'a b'],
    ['finalizeThreshold', 2.5],
    ['timeoutMs', '5000'],
    ['path', ''],
    ['url', 'localhost:6379'],
    ['cluster', 'redis-1:6379'],
    ['cluster', ['redis://redis-1:6379']],
    ['natMap', { 'redis-1:6379': 6379 }],
    ['sentinels', ['sentinel-1']],
    ['minReplicas', 1.5],
    ['election', 'Watcher'],
    ['options', ['x']],
    ['maxTxs', 'never'],
    ['ttlMs', Number.NEGATIVE_INFINITY],
    ['maxTxGas', 2 ** 53],
    ['replacementBump', 10_001],
    ['replacementBump', 'unlimited'],
    ['eviction', 'highest'],
    ['sweepEveryMs', -1],
  ])('refuses %s = %o', (field, bad) => {
    expect(refusal({ ...whole, [field]: bad }).field).toBe(field);
  });

  it('never shows the URL: it may hold a password', () => {
    expect(refusal({ ...whole, url: 'http://user:secret@host' }).message).not.toContain('secret');
  });

  it.each([
    ['keyPrefx', 'keyPrefix'],
    ['key_prefx', 'key_prefix'],
    ['watcher_lock_tll', 'watcher_lock_ttl'],
  ])('refuses the unknown field %s and asks for %s', (field, near) => {
    const { field: named, message } = refusal({ ...whole, [field]: 1 });
    expect(named).toBe(field);
    expect(message).toMatch(new RegExp(`did you mean ${near}\\?$`));
  });

  it('refuses an unknown field like none of ours without a guess', () => {
    expect(refusal({ ...whole, colour: 'blue' }).message).not.toContain('did you mean');
    expect(refusal({ ...whole, __proto__: null, constructor: 1 }).field).toBe('constructor');
  });

  it('refuses one field in two spellings', () => {
    expect(refusal({ backend: 'redis', url: 'redis://a', keyPrefix: 'a', key_prefix: 'b' }).field).toBe('key_prefix');
  });

  it.each([
    [{ path: 'p' }, 'backend'],
    [{ backend: 'sqlite' }, 'path'],
    [{ backend: 'redis' }, 'url'],
    [{ backend: 'redis', sentinels: ['a:1'] }, 'masterName'],
  ])('misses what is needed: %o', (given, field) => {
    expect(refusal(given).field).toBe(field);
  });

  it.each([null, undefined, 'redis', [whole], 7])('is a table, not %o', (given) => {
    expect(refusal(given).field).toBe('config');
  });

  it('inherits nothing', () => {
    const section = { backend: 'redis', url: 'redis://h' };
    expect(refusal(Object.create(section)).field).toBe('backend');
    expect(refusal(Object.create({ storage: { mempool: section } })).field).toBe('backend');
    expect(parseConfig({ storage: Object.create({ mempool: section }) })).toEqual({ backend: 'ephemeral' });
  });

  it.each(['x', 'a_', '_b', 'max_finalized'])('names a long unknown field by its beginning: %s…', (part) => {
    const name = part.repeat(1_048_576 / part.length);
    const { field, message } = refusal({ backend: 'ephemeral', [name]: 1 });
    expect(field).toBe(`${name.slice(0, 100)}…`);
    expect(message.length).toBeLessThan(200);
  });
});

describe('a Dolos section', () => {
  const redis = {
    backend: 'redis',
    url: 'redis://redis:6379',
    key_prefix: 'dolos:mempool',
    pool_size: 10,
    max_finalized: 10_000,
    watcher_lock_ttl: 60,
  };

  it('is taken as it is; the lock’s time is in seconds', () => {
    const expected = {
      backend: 'redis',
      url: 'redis://redis:6379',
      keyPrefix: 'dolos:mempool',
      poolSize: 10,
      maxFinalized: 10_000,
      watcherLockTtlMs: 60_000,
    };
    expect(parseConfig(redis)).toEqual(expected);
    expect(parseConfig({ storage: { mempool: redis } })).toEqual({ ...expected, dropThreshold: 2 });
  });

  it('has its path below the storage path, mempool where none is given', () => {
    const at = (storage: object) => parseConfig({ storage }).path;
    expect(at({ path: './data', mempool: { backend: 'redb' } })).toBe('data/mempool');
    expect(at({ path: './data', mempool: { backend: 'redb', path: 'pool.db' } })).toBe('data/pool.db');
    expect(at({ path: './data', mempool: { backend: 'redb', path: '/pool.db' } })).toBe('/pool.db');
    expect(at({ mempool: { backend: 'redb', path: 'pool.db' } })).toBe('pool.db');
  });

  it('has the folder of its path made, below the storage path', () => {
    const at = (path: string, mempool: object) => parseConfig({ storage: { path, mempool } }).makeFolder;
    for (const backend of ['redb', 'sqlite'])
      for (const path of [undefined, 'pools/pool.db', resolve('data/pool.db')])
        expect(at('./data', { backend, path })).toBe(true);
    for (const path of ['/elsewhere/pool.db', '../pool.db', resolve('data-2/pool.db')])
      expect(at('./data', { backend: 'redb', path })).toBe(undefined);
    expect(at('./data', { backend: 'redb', make_folder: false })).toBe(false);
    expect(at('./data', { backend: 'in_memory' })).toBe(undefined);
  });

  it('that is not there is a pool in memory, unless another name was meant for it', () => {
    const others = { version: 'v3', path: 'data', wal: {}, state: {}, archive: {}, index: {}, chain: {}, ledger: {} };
    expect(parseConfig({ storage: {} })).toEqual({ backend: 'ephemeral' });
    expect(parseConfig({ storage: { ...others, mempool: undefined } })).toEqual({ backend: 'ephemeral' });
    for (const name of ['mempol', 'Mempool', 'mem_pool']) {
      const { field, message } = refusal({ storage: { ...others, [name]: redis } });
      expect(field).toBe(`storage.${name}`);
      expect(message).toMatch(/did you mean mempool\?$/);
    }
  });

  it('is named in full where something is wrong', () => {
    expect(refusal({ storage: { mempool: { ...redis, key_prefix: 7 } } }).field).toBe('storage.mempool.key_prefix');
    expect(refusal({ storage: { mempool: { ...redis, pool_sise: 7 } } }).message).toContain('did you mean pool_size?');
    expect(refusal({ storage: { mempool: { backend: 'redis' } } }).field).toBe('storage.mempool.url');
    expect(refusal({ storage: { mempool: 'redis' } }).field).toBe('storage.mempool');
    expect(refusal({ storage: 'redis' }).field).toBe('storage');
  });
});
