import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram } from './program.ts';

/** Tests that the README of an example shows the output of its program, and only code that is in these files. */
export function testReadme(folder: URL, files: readonly string[]): void {
  const read = (file: string) => readFile(new URL(file, folder), 'utf8');

  test('the program prints what the README says', async () => {
    const { stdout } = await runProgram([fileURLToPath(new URL('src/main.ts', folder))]);
    expect(await read('README.md')).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
  });

  test('the code in the README is code of the example', async () => {
    const shown = Array.from((await read('README.md')).matchAll(/```ts (\S+)\n(.*?)```/gs));
    expect(shown.map(([, file]) => file)).toEqual(files);
    for (const [, file = '', code = ''] of shown) expect(await read(file)).toContain(code);
  });
}
