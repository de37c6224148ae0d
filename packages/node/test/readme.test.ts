import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test, vi } from 'vitest';
import { run } from './readme-example.ts';
import { SteadyChain } from './steady-chain.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the code in the README is a file here, and runs', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const folder = scratchFolder();
  const file = join(folder, 'node.toml');
  writeFileSync(file, `backend = "sqlite"\npath = ${JSON.stringify(join(folder, 'pool.sqlite'))}\n`);
  const stopped = new AbortController();
  const log = vi.spyOn(console, 'log').mockImplementation((line) => line === 'slot 2' && stopped.abort());
  expect(await run(new SteadyChain(2), file, stopped.signal)).toBe('Pending');
  expect(log.mock.calls).toEqual([['slot 1'], ['slot 2']]);
  log.mockRestore();
});
