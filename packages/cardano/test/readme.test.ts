import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the code in the README is a file here, and prints what the README says', async () => {
  const readme = read('../README.md');
  expect(readme).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./readme-example.ts');
  const printed = log.mock.calls.map((values) => values.join(' '));
  log.mockRestore();
  expect(readme).toContain(`\`\`\`text\n${printed.join('\n')}\n\`\`\``);
});
