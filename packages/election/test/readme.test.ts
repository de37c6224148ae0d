import { readFile } from 'node:fs/promises';
import { electionCases } from 'mempool-conformance';
import { expect, it, vi } from 'vitest';

const read = (file: string) => readFile(new URL(file, import.meta.url), 'utf8');

it('the code in the README is a file here, and prints what the README says', async () => {
  const readme = await read('../README.md');
  expect(readme).toContain(`\`\`\`ts\n${await read('readme-example.ts')}\`\`\``);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(`${words.join(' ')}\n`));
  await import('./readme-example.ts');
  log.mockRestore();
  expect(readme).toContain(`It prints:\n\n\`\`\`text\n${printed.join('')}\`\`\`\n`);
});

it('every test that the README names exists', async () => {
  const readme = await read('../README.md');
  const named = Array.from(readme.matchAll(/`([a-z-]+\.test\.ts)`: (.+?)(?=<br>| \|)/g));
  expect(named.length).toBeGreaterThan(15);
  for (const [, file = '', title] of named) expect(await read(file), file).toContain(`'${title}'`);
});

it('every case of the suite that the README names exists', async () => {
  const named = Array.from((await read('../README.md')).matchAll(/`(LE\d+\/[a-z0-9-]+)`/g), ([, id]) => id);
  const known: (string | undefined)[] = electionCases.map(({ id }) => id);
  expect(named.filter((id) => !known.includes(id))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});
