import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The programs of the guide, by the name of their code block. Each is a file here and prints what the guide says. */
it.each([
  { name: 'submit', run: () => import('./guide/submit.ts') },
  { name: 'work', run: () => import('./guide/work.ts') },
  { name: 'complete', run: () => import('./guide/complete.ts') },
  { name: 'events', run: () => import('./guide/events.ts') },
  { name: 'build', run: () => import('./guide/build.ts') },
  { name: 'observe', run: () => import('./guide/observe.ts') },
  { name: 'move', run: () => import('./guide/move.ts') },
  { name: 'follow', run: () => import('./guide/follow.ts') },
  { name: 'rebuild', run: () => import('./guide/rebuild.ts') },
  { name: 'share', run: () => import('./guide/share.ts') },
  { name: 'priority', run: () => import('./guide/priority.ts') },
])('the guide of mempool-core: $name', async ({ name, run }) => {
  const source = readFileSync(new URL(`guide/${name}.ts`, import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts ${name}\n${source}\`\`\`\n`);
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(`${words.join(' ')}\n`));
  await run();
  log.mockRestore();
  expect(readme).toContain(`\`\`\`\n\nIt prints:\n\n\`\`\`text\n${printed.join('')}\`\`\`\n`);
});
