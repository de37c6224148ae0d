import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { batchReasons, phaseAliases, submissionReasons } from '../src/index.ts';
import { memoryHome } from './home.ts';
import { run } from './readme-example.ts';
import { optionsOf, signatureOf } from './validator.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the code in the README is a file here, and agrees on what the slot has submitted', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const home = memoryHome();
  const options = { ...optionsOf('v1'), openPool: home.openPool, removePool: home.removePool };
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await using election = home.elect('v1');
  await election.start();
  const signature = signatureOf({ epoch: 1, slot: 7, project: 'btc', cid: 'bafy1' });
  const agreement = await run(options, election, signature);
  expect(agreement).toMatchObject({ leaves: [{ project: 'btc', cid: 'bafy1' }], leftOut: [], validators: ['v1'] });
  expect(log.mock.calls).toEqual([[{ kind: 'received', hash: expect.any(String) }], [agreement?.root]]);
  log.mockRestore();
});

test('the README names every reason and every phase', () => {
  const page = read('../README.md');
  for (const word of [...submissionReasons, ...batchReasons, ...Object.values(phaseAliases)])
    expect(page, word).toContain(`\`${word}\``);
});

test('each key of the original has a test that shows where it went', () => {
  const rows = [...read('../README.md').matchAll(/\| `(\S+\.test\.ts)`: (.+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(15);
  for (const [, file = '', title = ''] of rows) expect(read(file).includes(title), `${file}: ${title}`).toBe(true);
});
