import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const inExample = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path: string) => readFile(inExample(path), 'utf8');

test('the program prints what the README says', async () => {
  const args = ['--conditions=mempool-source', inExample('src/main.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(await read('README.md')).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
});

test('the code in the README is code of the example', async () => {
  const shown = Array.from((await read('README.md')).matchAll(/```ts (\S+)\n(.*?)```/gs));
  expect(shown.map(([, file]) => file)).toEqual(['src/spending.ts', 'src/story.ts', 'src/node.ts']);
  for (const [, file = '', code = ''] of shown) expect(await read(file)).toContain(code);
});

test.each([
  ['a file that is not there', ['missing.chunk'], 1, 'missing.chunk: there is no such file'],
  ['two files', ['one', 'two'], 2, 'it takes one file of blocks, or nothing'],
  ['an option', ['--json'], 2, 'it takes one file of blocks, or nothing'],
])('%s is one line', async (_, args, code, message) => {
  const program = ['--conditions=mempool-source', inExample('src/main.ts'), ...args];
  const error: unknown = await promisify(execFile)(process.execPath, program).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code, stdout: '', stderr: `utxo-chain: ${message}\n` });
});
