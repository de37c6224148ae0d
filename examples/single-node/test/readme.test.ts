import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';

const readme = new URL('../../../README.md', import.meta.url);
/** Inside the package, so that the program finds what the package depends on. */
const folder = fileURLToPath(new URL('..', import.meta.url));

test("the first page's program does what it says", async () => {
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(await readFile(readme, 'utf8')) ?? [];
  const cwd = await mkdtemp(join(folder, '.readme-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, 'program.ts'), program);

  const { stdout } = await runProgram(['program.ts'], { cwd });

  expect(stdout).toBe('sending 3 bytes of c0ffee\nConfirmed\n');
});
