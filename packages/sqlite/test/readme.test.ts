import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const example = new URL('readme-example.ts', import.meta.url);

test('the first code of the README is a program here, and makes its file where it runs', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read(example.href)}\`\`\``);
  const cwd = scratchFolder();
  const args = ['--conditions=mempool-source', fileURLToPath(example)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe('false\n');
  expect(existsSync(join(cwd, 'mempool.db'))).toBe(true);
});
