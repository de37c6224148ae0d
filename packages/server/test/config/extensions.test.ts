import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { isMempoolError } from 'mempool-core';
import { installedExtensions, loadServerConfig, serverConfigSchema } from 'mempool-server';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { z } from 'zod';

/** A folder with a configuration that has this edge, and with a package for each module. */
function configured(edge: string, modules: Readonly<Record<string, string>> = {}): string {
  const folder = scratchFolder();
  for (const [name, code] of Object.entries(modules)) {
    const own = join(folder, 'node_modules', name);
    mkdirSync(own, { recursive: true });
    writeFileSync(
      join(own, 'package.json'),
      JSON.stringify({ name, type: 'module', exports: { './server': './server.js' } }),
    );
    writeFileSync(join(own, 'server.js'), code);
  }
  const path = join(folder, 'pool.toml');
  writeFileSync(path, `[mempool]\nbackend = "ephemeral"\n${edge}`);
  return path;
}

/** The code of an extension without fields. */
function extension(fields: object): string {
  const schema = '{ shape: {}, safeParse: (data) => ({ data }) }';
  return `export default { ...${JSON.stringify({ version: 1, ...fields })}, schema: ${schema}, open: async () => null };`;
}

async function refusal(path: string): Promise<{ readonly field: string | undefined; readonly message: string }> {
  const error: unknown = await loadServerConfig(path).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isMempoolError(error, 'ERR_MEMPOOL_CONFIG')) throw new Error(`not a configuration error: ${String(error)}`);
  return { field: error.details.field, message: error.message };
}

test('an edge is loaded from the folder of the configuration', async () => {
  const code = extension({ section: 'edges.mine' });
  const byName = await loadServerConfig(configured('[edges.mine]', { 'mempool-edge-mine': code }));
  expect(byName.extensions).toMatchObject({ 'edges.mine': { extension: { section: 'edges.mine' }, options: {} } });
  const named = await loadServerConfig(configured('[edges.mine]\npackage = "other"', { other: code }));
  expect(named.extensions).toMatchObject({ 'edges.mine': { extension: { section: 'edges.mine' } } });
});

test('an edge is loaded from the folder of a configuration that a relative path names', async () => {
  const path = configured('[edges.mine]', { 'mempool-edge-mine': extension({ section: 'edges.mine' }) });
  const { extensions } = await loadServerConfig(relative(process.cwd(), path));
  expect(extensions).toMatchObject({ 'edges.mine': { extension: { section: 'edges.mine' } } });
});

test('an edge is loaded from the folder of the program, also if a link starts it', async () => {
  const program = dirname(configured('', { 'mempool-edge-mine': extension({ section: 'edges.mine' }) }));
  const server = new URL('../../src/index.ts', import.meta.url);
  const main = join(program, 'main.mjs');
  writeFileSync(
    main,
    `import { loadServerConfig } from '${server}';
    console.log(Object.keys((await loadServerConfig(process.argv[2])).extensions));`,
  );
  const path = configured('[edges.mine]');
  const link = join(dirname(path), 'main.mjs');
  symlinkSync(main, link);
  for (const started of [main, link]) {
    const args = ['--conditions=mempool-source', started, path];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: dirname(path) });
    expect(stdout).toContain('edges.mine');
  }
});

test.for([
  ['[edges.mine]', {}, 'edges.mine', 'npm install mempool-edge-mine'],
  ['[edges.mine]\npackage = "./gone.js"', {}, 'edges.mine', 'does not load'],
  ['[edges.mine]\npackage = 7', {}, 'edges.mine.package', 'string'],
  ['[edges."Mine!"]', {}, 'edges.Mine!', 'a–z'],
  ['edges = 7', {}, 'edges', 'table'],
  ['[edges]\nmine = 7', {}, 'edges.mine', 'table'],
  ['[edges.mine]', { 'mempool-edge-mine': 'throw new Error("broken");' }, 'edges.mine', 'broken'],
  ['[edges.mine]', { 'mempool-edge-mine': 'export default 7;' }, 'edges.mine', 'no extension'],
  [
    '[edges.mine]',
    { 'mempool-edge-mine': extension({ section: 'edges.mine', version: 2 }) },
    'edges.mine',
    'version 2',
  ],
  ['[edges.mine]', { 'mempool-edge-mine': extension({ section: 'edges.yours' }) }, 'edges.mine', 'edges.yours'],
] as const)('%s with %o is refused', async ([edge, modules, field, part]) => {
  const given = edge.startsWith('edges =') ? configured('') : configured(edge, modules);
  if (edge.startsWith('edges =')) writeFileSync(given, `${edge}\n[mempool]\nbackend = "ephemeral"\n`);
  const found = await refusal(given);
  expect(found.field).toBe(field);
  expect(found.message).toContain(part);
});

test('the JSON Schema has the fields of the installed extensions, and leaves those of others open', async () => {
  const extensions = await installedExtensions();
  expect(extensions.map(({ section }) => section).sort()).toEqual([
    ...['blockfrost', 'cometbft', 'ethereum', 'utxorpc'].map((name) => `edges.${name}`),
    ...['ledger', 'sequencer'],
  ]);
  const schema = z.fromJSONSchema(serverConfigSchema(extensions));
  const accepted = (given: object): boolean =>
    schema.safeParse({ mempool: { backend: 'ephemeral' }, edges: given }).success;
  expect(accepted({ ethereum: { chain_id: 1 }, blockfrost: {} })).toBe(true);
  expect(accepted({ ethereum: { chainId: 1, package: './mine.js' } })).toBe(true);
  expect(accepted({ blockfrost: { prot: 1 } })).toBe(false);
  expect(accepted({ mine: { anything: 1 } })).toBe(true);
  expect(accepted({ mine: 7 })).toBe(false);
});

test('the hash of Cardano is that of the package next to the configuration', async () => {
  const folder = scratchFolder();
  const own = join(folder, 'node_modules', 'mempool-cardano');
  mkdirSync(own, { recursive: true });
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({ name: 'mempool-cardano', type: 'module', exports: './index.js' }),
  );
  writeFileSync(join(own, 'index.js'), "export const transactionHash = () => 'ab';");
  const path = join(folder, 'pool.toml');
  writeFileSync(path, '[mempool]\nbackend = "ephemeral"\n[server]\nhash = "cardano"\n');
  expect((await loadServerConfig(path)).hashOf(new Uint8Array())).toBe('ab');
});
