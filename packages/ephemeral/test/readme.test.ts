import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the code in the README is a file here, and opens an empty pool', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([[false]]);
  log.mockRestore();
});
