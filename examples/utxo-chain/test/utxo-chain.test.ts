import { fileURLToPath } from 'node:url';
import { runProgram } from 'mempool-testkit';
import { testReadme } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';

testReadme(new URL('..', import.meta.url), ['src/spending.ts', 'src/story.ts', 'src/node.ts']);

test.each([
  ['a file that is not there', ['missing.chunk'], 1, 'missing.chunk: there is no such file'],
  ['two files', ['one', 'two'], 2, 'it takes one file of blocks, or nothing'],
  ['an option', ['--json'], 2, 'it takes one file of blocks, or nothing'],
])('%s is one line', async (_, args, code, message) => {
  const ended = await runProgram([fileURLToPath(new URL('../src/main.ts', import.meta.url)), ...args]);
  expect(ended).toMatchObject({ code, stdout: '', stderr: `utxo-chain: ${message}\n` });
});
