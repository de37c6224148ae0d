import { readFileSync } from 'node:fs';
import { runProgram } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { fixture } from './program.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

/** What the README shows, in its order. */
const files = [
  fixture('subject'),
  new URL('../../packages/ephemeral/test/conformance.test.ts', import.meta.url),
  fixture('with-node-test'),
  new URL('../../packages/ephemeral/test/subject.ts', import.meta.url),
  new URL('ledger/memory.test.ts', import.meta.url),
  new URL('ledger/memory-subject.ts', import.meta.url),
  fixture('own-case'),
];

test('the code of the README is that of files which run here', () => {
  expect(blocks).toEqual(files.map((file) => readFileSync(file, 'utf8')));
});

test('a case of one’s own runs like the kit’s', async () => {
  expect(await runProgram([fixture('own-case')])).toMatchObject({ code: 0, stdout: 'passed\n' });
});
