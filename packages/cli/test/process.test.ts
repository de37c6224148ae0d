import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadServerConfig, startServer } from 'mempool-server';
import { type Running, runProgram, startProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillPool } from './fill-pool.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function start(...args: string[]): Running {
  const running = startProgram([main, ...args]);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** Resolves with the first piece of output that matches. */
async function said({ child }: Running, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  for (;;) {
    const match = pattern.exec(text);
    if (match !== null) return match;
    const [chunk] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    text += String(chunk);
  }
}

function poolFile(): string {
  const folder = scratchFolder();
  const config = join(folder, 'pool.json');
  writeFileSync(config, JSON.stringify({ backend: 'sqlite', path: join(folder, 'pool.sqlite') }));
  return config;
}

test.each(['SIGTERM', 'SIGHUP'] as const)('serve says its addresses, serves, and ends well at %s', async (signal) => {
  vi.stubEnv('MEMPOOL_EDGES_BLOCKFROST', '{ "port": 0 }');
  onTestFinished(() => void vi.unstubAllEnvs());
  const serving = start('serve', '--demo', '--port', '0');
  const [, url, edge] = await said(serving, /listening on (http:\S+)\n {2}blockfrost on (http:\S+)/);
  expect((await fetch(`${edge}/health`)).status).toBeLessThan(500);
  expect((await fetch(`${url}/api/v1/usage`)).status).toBe(200);
  const second = await runProgram([main, 'serve', '--demo', '--port', new URL(url ?? '').port]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('--port 0')]);
  serving.child.kill(signal);
  const { code, stderr } = await serving.ended;
  expect([code, stderr.includes('    at ')]).toEqual([0, false]);
});

test('watch ends well at SIGINT, a wait is interrupted, and neither says anything of it', async () => {
  const config = poolFile();
  await using server = await startServer(await loadServerConfig(config, { server: { port: 0 } }));
  const watching = start('--url', server.url, 'watch', '--after', 'origin');
  const waiting = start('--url', server.url, 'status', 'ab', '--wait', 'Finalized');
  await server.pool.submit({ hash: 'ab', payload: new Uint8Array(1) });
  await said(watching, /Unknown → Pending/);
  watching.child.kill('SIGINT');
  const watched = await watching.ended;
  expect([watched.code, watched.stderr]).toEqual([0, '']);
  waiting.child.kill('SIGINT');
  const waited = await waiting.ended;
  expect([waited.code ?? 130, waited.stdout, waited.stderr]).toEqual([130, '', '']);
});

test('a reader that stops reading ends the command without a word', async () => {
  const config = poolFile();
  await fillPool(config, 3_000);
  const command = '"$0" --conditions=mempool-source "$@" | head -n 1 | cut -c 1-9; echo $PIPESTATUS';
  const { stdout, stderr } = await promisify(execFile)('bash', [
    '-c',
    command,
    process.execPath,
    main,
    '-c',
    config,
    'export',
  ]);
  expect([stdout, stderr]).toEqual(['{"format"\n0\n', '']);
});

test('a full disk below the output is told in one line', async () => {
  const command = '"$0" --conditions=mempool-source "$@" >/dev/full; echo $?';
  const args = ['-c', command, process.execPath, main, 'config', 'schema'];
  const { stdout, stderr } = await promisify(execFile)('bash', args);
  expect([stdout, stderr]).toEqual(['1\n', expect.stringMatching(/^mempool: .*ENOSPC.*\n$/)]);
});
