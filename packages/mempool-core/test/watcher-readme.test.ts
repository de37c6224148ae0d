import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

it('the watcher in the README of mempool-core is a file here, and prints what the README says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const source = readFileSync(new URL('watcher-readme.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts watch\n${source}\`\`\``);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
  await import('./watcher-readme.ts');
  log.mockRestore();
  expect(readme).toContain(`It prints ${printed.map((line) => `\`${line}\``).join(' and ')}.`);
});
