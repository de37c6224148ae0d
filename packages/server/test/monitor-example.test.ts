import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openMempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { freePort } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { run } from './monitor-example.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the program of the section Monitor is a file here, and runs', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('monitor-example.ts')}\`\`\``);
  const folder = scratchFolder();
  const config = { backend: 'sqlite', path: join(folder, 'pool.sqlite') } as const;
  const file = join(folder, 'pool.json');
  writeFileSync(file, JSON.stringify(config));
  const [port, stopped] = [await freePort(), new AbortController()];
  const running = run(file, port, stopped.signal);
  const pool = await openMempool(config, { sqlite });
  await pool.submit({ hash: 'c0ffee'.padEnd(64, '0'), payload: new Uint8Array([1, 2, 3]) });
  await pool.close();
  const text = async () => (await fetch(`http://127.0.0.1:${port}`)).text();
  await expect.poll(() => text().catch(() => '')).toContain('mempool_transactions{stage="Pending"} 1\n');
  stopped.abort();
  expect(await running).toBe('1 received');
});
