import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { loadServerConfig, startServer } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';

const hash = createHash('sha256').update('hello').digest('hex');

test('a server loads the edge that its configuration names', async () => {
  const file = fileURLToPath(new URL('../pool.toml', import.meta.url));
  const env = { MEMPOOL_SERVER_PORT: '0' };
  const config = await loadServerConfig(file, { env });
  const plain = config.extensions['edges.plain'];
  expect(plain).toMatchObject({ options: { port: 4480 } });
  const extensions = plain === undefined ? {} : { 'edges.plain': { ...plain, options: { port: 0 } } };
  const server = await startServer({ ...config, extensions });
  onTestFinished(() => server.close());
  const url = server.edges.plain ?? '';
  const text = async (path: string, init?: RequestInit): Promise<readonly [number, string]> => {
    const answer = await fetch(`${url}${path}`, init);
    return [answer.status, await answer.text()];
  };
  expect(await text(`/${hash}`)).toEqual([404, expect.stringContaining('does not know')]);
  expect(await text('/', { method: 'POST', body: 'hello' })).toEqual([200, `${hash}\n`]);
  expect(await text(`/${hash}`)).toEqual([200, 'Pending\n']);
  expect((await text('/no-hash'))[0]).toBe(400);
});
