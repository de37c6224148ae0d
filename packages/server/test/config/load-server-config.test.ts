import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMempoolError } from 'mempool-core';
import { loadServerConfig, type ServerConfig, serverConfigSchema } from 'mempool-server';
import { scratchFolder } from 'mempool-testkit/vitest';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const folder = scratchFolder(afterAll);

const hash = `sha256:${'ab'.repeat(32)}`;
const minimal = { mempool: { backend: 'ephemeral' } };

let files = 0;
async function file(text: string, ending = 'toml'): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  await writeFile(path, text);
  return path;
}

async function problem(load: Promise<ServerConfig>): Promise<{ message: string; field: string | undefined }> {
  const error: unknown = await load.then(
    () => null,
    (thrown) => thrown,
  );
  if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) throw new Error(`not a configuration error: ${String(error)}`);
  return { message: error.message, field: error.details.field };
}

describe('a file', () => {
  test('has seven sections, in either spelling, and the rest has defaults', async () => {
    await mkdir(join(folder, 'chain'), { recursive: true });
    await writeFile(join(folder, 'hash'), `${hash}\n`);
    const path = await file(`
      [mempool]
      backend = "sqlite"
      path = "pool.sqlite"
      finalize_threshold = 12
      [server]
      host = "0.0.0.0"
      maxBodyBytes = 1000
      cors_origins = ["https://pool.example"]
      rate_per_second = 50
      [[server.tokens]]
      name = "wallet"
      hash_file = "hash"
      scopes = ["read", "submit"]
      [election]
      node_id = "a"
      ttl_ms = 3000
      [watcher]
      source = "./chain/source.ts#mine"
      [edges.blockfrost]
      port = 3001
      [ledger]
      currency = "ADA"
      retention_ms = 1000
      [sequencer]
      protocol = "p"
      market = "m"
      folder = "epochs"
      level1_grace_ms = 5000
    `);
    expect(await loadServerConfig(path)).toEqual({
      mempool: {
        ...{ backend: 'sqlite', path: 'pool.sqlite', finalizeThreshold: 12 },
        ...{ election: 'watcher', watcherLockTtlMs: 3000 },
      },
      server: {
        ...{ host: '0.0.0.0', port: 4420, tokens: [{ name: 'wallet', hash, scopes: ['read', 'submit'] }] },
        ...{
          corsOrigins: ['https://pool.example'],
          allowedHosts: [],
          hash: 'sha256',
          dashboard: true,
          exposePayloads: false,
          maxBodyBytes: 1000,
        },
        ...{ maxSseClients: 1000, maxWaits: 1000, maxRequests: 1000, ratePerSecond: 50, drainMs: 10_000 },
        environment: '',
      },
      hashOf: expect.any(Function),
      election: { enabled: true, name: 'watcher', nodeId: 'a', ttlMs: 3000 },
      watcher: { source: `${join(folder, 'chain/source.ts')}#mine` },
      extensions: {
        'edges.blockfrost': expect.objectContaining({ options: { port: 3001 } }),
        dashboard: expect.objectContaining({ options: {} }),
        ledger: expect.objectContaining({
          options: {
            ...{ currency: 'ADA', name: 'main', path: null, retentionMs: 1000 },
            ...{ maxRefusals: 10_000, sweepMs: 1000, decimals: 0 },
          },
        }),
        sequencer: expect.objectContaining({
          options: {
            ...{ protocol: 'p', market: 'm', url: null, folder: join(folder, 'epochs'), refreshMs: 1000 },
            ...{ level1GraceMs: 5000, level2GraceMs: 60_000, onchainGraceMs: 300_000 },
          },
        }),
      },
    });
  });

  test('of the library, and a dolos.toml, is the section mempool', async () => {
    const flat = await loadServerConfig(await file('backend = "ephemeral"\nelection = "e"\nmax_txs = 5'));
    expect(flat.mempool).toMatchObject({ backend: 'ephemeral', maxTxs: 5, election: 'e' });
    expect(flat.election).toMatchObject({ enabled: false, name: 'e' });
    const dolos = await loadServerConfig(
      await file('[storage]\npath="d"\n[storage.mempool]\nbackend="redb"\n[sync]\na=1'),
    );
    expect(dolos.mempool).toMatchObject({ backend: 'sqlite', path: join('d', 'mempool'), dropThreshold: 2 });
  });

  const token = (fields: object): object => ({ name: 'a', hash, scopes: ['read'], ...fields });
  const epochs = (fields: object): object => ({ protocol: 'p', market: 'm', ...fields });
  const refused: readonly (readonly [string, object, string, string?])[] = [
    ['an unknown section', { ...minimal, sever: {} }, 'sever', 'server'],
    ['an unknown field', { ...minimal, server: { max_body_byte: 1 } }, 'server.max_body_byte', 'max_body_bytes'],
    [
      'an unknown field in camel case',
      { ...minimal, server: { maxBodyByte: 1 } },
      'server.maxBodyByte',
      'maxBodyBytes',
    ],
    [
      'an unknown field of an edge',
      { ...minimal, edges: { blockfrost: { prot: 1 } } },
      'edges.blockfrost.prot',
      'port',
    ],
    ['a ledger without a currency', { ...minimal, ledger: { name: 'a' } }, 'ledger.currency'],
    ['an unknown field of the ledger', { ...minimal, ledger: { curency: 'A' } }, 'ledger.curency', 'currency'],
    ['epochs without a protocol', { ...minimal, sequencer: { market: 'm' } }, 'sequencer.protocol'],
    ['epochs without a market', { ...minimal, sequencer: { protocol: 'p' } }, 'sequencer.market'],
    ['epochs nowhere', { ...minimal, sequencer: epochs({}) }, 'sequencer.url'],
    ['epochs in two places', { ...minimal, sequencer: epochs({ url: 'redis://h', folder: 'f' }) }, 'sequencer.folder'],
    ['a URL given twice', { ...minimal, sequencer: epochs({ url: 'redis://h', url_file: 'f' }) }, 'sequencer.url_file'],
    ['an unknown field of epochs', { ...minimal, sequencer: epochs({ folders: 'f' }) }, 'sequencer.folders', 'folder'],
    ['a rare reading', { ...minimal, sequencer: epochs({ refresh_ms: 30_001 }) }, 'sequencer.refresh_ms'],
    [
      'a token for transfers of nobody',
      { ...minimal, server: { tokens: [token({ scopes: ['ledger:transfer'] })] } },
      'server.tokens[0].owners',
    ],
    [
      'a token with owners that may not transfer',
      { ...minimal, server: { tokens: [token({ owners: ['a'] })] } },
      'server.tokens[0].owners',
    ],
    ['an unknown field of the pool', { mempool: { backend: 'ephemeral', max_tx: 1 } }, 'mempool.max_tx', 'max_txs'],
    ['a field in both spellings', { ...minimal, server: { drainMs: 1, drain_ms: 1 } }, 'server.drain_ms'],
    ['a field of the pool that is missing', { mempool: { backend: 'sqlite' } }, 'mempool.path'],
    ['no pool', { server: {} }, 'mempool.backend'],
    ['a wrong value', { ...minimal, server: { port: 70_000 } }, 'server.port'],
    ['a wrong value in a list', { ...minimal, server: { cors_origins: ['x'] } }, 'server.cors_origins[0]'],
    [
      'a token with an unknown field',
      { ...minimal, server: { tokens: [token({ scope: [] })] } },
      'server.tokens[0].scope',
      'scopes',
    ],
    [
      'a token with an unknown scope',
      { ...minimal, server: { tokens: [token({ scopes: ['root'] })] } },
      'server.tokens[0].scopes[0]',
    ],
    ['a token in plain text', { ...minimal, server: { tokens: [token({ hash: 'secret' })] } }, 'server.tokens[0].hash'],
    ['a token without a hash', { ...minimal, server: { tokens: [token({ hash: undefined })] } }, 'server.tokens[0]'],
    ['two tokens of one name', { ...minimal, server: { tokens: [token({}), token({})] } }, 'server.tokens[1].name'],
    [
      'a file that is missing',
      { ...minimal, server: { tokens: [token({ hash: undefined, hashFile: '/no' })] } },
      'server.tokens[0].hash_file',
    ],
    ['a host that others reach without a token', { ...minimal, server: { host: '0.0.0.0' } }, 'server.tokens'],
    [
      'two names of the election',
      { mempool: { backend: 'ephemeral', election: 'a' }, election: { name: 'b' } },
      'election.name',
    ],
    [
      'a watcher without the election',
      { ...minimal, election: { enabled: false }, watcher: { source: 'x' } },
      'election.enabled',
    ],
    ['a section that is no table', { ...minimal, server: 5 }, 'server'],
  ];

  test('with a secret that is no UTF-8 is refused by the field', async () => {
    const path = join(folder, 'latin-1');
    await writeFile(path, Buffer.from(`${hash}ö`, 'latin1'));
    const own = await problem(
      loadServerConfig({ ...minimal, server: { tokens: [token({ hash: undefined, hashFile: path })] } }),
    );
    expect([own.field, own.message.includes('UTF-8')]).toEqual(['server.tokens[0].hash_file', true]);
  });

  test.for(refused)('with %s is refused by the field', async ([, given, field, near]) => {
    const own = await problem(loadServerConfig(given));
    expect(own.field).toBe(field);
    if (near !== undefined) expect(own.message).toContain(`did you mean ${near}?`);
    const path = await file(JSON.stringify(given), 'json');
    const inFile = await problem(loadServerConfig(path));
    expect(inFile).toEqual({ field, message: `${path}: ${own.message}` });
  });

  test('reads the URL of Redis from a file, and no error has it', async () => {
    const secret = join(folder, 'url');
    await writeFile(secret, 'redis://:password@host:6379\n');
    const config = await loadServerConfig({ mempool: { backend: 'redis', url_file: secret } });
    expect(config.mempool.url).toBe('redis://:password@host:6379');
    await writeFile(secret, 'http://:password@host');
    const { message, field } = await problem(loadServerConfig({ mempool: { backend: 'redis', urlFile: secret } }));
    expect([field, message.includes('password')]).toEqual(['mempool.url', false]);
  });
});

describe('the environment', () => {
  const load = (env: Record<string, string>): Promise<ServerConfig> =>
    loadServerConfig({ ...minimal, server: { port: 1, tokens: [] } }, { env });

  test('replaces fields of the file', async () => {
    const secret = join(folder, 'id');
    await writeFile(secret, 'node-7\n');
    const config = await load({
      ...{ MEMPOOL_SERVER_PORT: '4421', MEMPOOL_SERVER_CORS_ORIGINS: 'https://a.example, https://b.example' },
      ...{ MEMPOOL_SERVER_EXPOSE_PAYLOADS: 'true', MEMPOOL_SERVER_ENVIRONMENT: '5', MEMPOOL_MEMPOOL_MAX_TXS: '9' },
      MEMPOOL_SERVER_TOKENS: JSON.stringify([{ name: 'a', hash, scopes: ['admin'] }]),
      ...{ MEMPOOL_ELECTION_NODE_ID_FILE: secret, MEMPOOL_TOKEN: 'of the command line', PATH: '/bin' },
      ...{ MEMPOOL_SERVER_SERVICE_HOST: '10.0.0.1', MEMPOOL_SERVER_PORT_4420_TCP_ADDR: '10.0.0.1' },
    });
    expect(config.server).toMatchObject({ port: 4421, exposePayloads: true, environment: '5' });
    expect(config.server.corsOrigins).toEqual(['https://a.example', 'https://b.example']);
    expect(config.server.tokens).toEqual([{ name: 'a', hash, scopes: ['admin'] }]);
    expect([config.mempool.maxTxs, config.election.nodeId]).toEqual([9, 'node-7']);
  });

  test.each([
    ['MEMPOOL_SERVER_PROT', '1', 'did you mean MEMPOOL_SERVER_PORT?'],
    ['MEMPOOL_SERVER_PORT', 'x', '0–65,535'],
    ['MEMPOOL_SERVER_PORT', 'tcp://10.0.0.1:4420', 'enableServiceLinks'],
    ['MEMPOOL_MEMPOOL_ORDERING', 'lifo', 'fifo'],
    ['MEMPOOL_SERVER_PORT_FILE', '/no/such/file', 'ENOENT'],
  ])('%s=%s is refused by the name of the variable', async (name, value, part) => {
    const { message, field } = await problem(load({ [name]: value }));
    expect(field).toBe(name);
    expect(message).toContain(part);
  });
});

test('the JSON Schema accepts what the check accepts, in both spellings, and refuses an unknown field', () => {
  const schema = z.fromJSONSchema(serverConfigSchema());
  const accepted = (given: object): boolean => schema.safeParse(given).success;
  const good = {
    mempool: { backend: 'redis', url: 'redis://h', max_txs: 'unlimited', dropThreshold: 'never', ordering: 'fifo' },
    server: { port: 0, rate_per_second: 'unlimited', tokens: [{ name: 'a', hash_file: 'x', scopes: ['read'] }] },
  };
  expect(accepted(good)).toBe(true);
  expect(accepted({ ...good, sever: {} })).toBe(false);
  expect(accepted({ mempool: { ...good.mempool, maxTx: 1 } })).toBe(false);
  expect(accepted({ mempool: { ...good.mempool, ordering: 'lifo' } })).toBe(false);
  expect(accepted({ ...good, server: { port: -1 } })).toBe(false);
  expect(accepted({ ...good, server: { tokens: [{ name: 'a', scopes: ['root'] }] } })).toBe(false);
});
