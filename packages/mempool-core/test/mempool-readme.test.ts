import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

it('the code in the README of mempool-core is a file here, and prints what the README says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const source = readFileSync(new URL('mempool-readme.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts use\n${source}\`\`\``);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./mempool-readme.ts');
  log.mockRestore();
  expect(readme).toContain(`It prints ${printed.map((line) => `\`${line}\``).join(' and ')}.`);
});
