import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { ownServer } from '../../redis/test/own-server.ts';
import { unrecordedOutcomes } from '../src/index.ts';
import { openScene } from './pool/scene.ts';
import { payments } from './readme-pool.ts';
import { pay } from './redis/example.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

test('the code in the README is a file here, and prints what the README says', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('readme-example.ts')}\`\`\``);
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import('./readme-example.ts');
  expect(log.mock.calls).toEqual([['created', 'insufficient_funds', 4_000n, true]]);
  log.mockRestore();
});

test('the README lists every outcome of a transfer in the order of the rules, and says which are recorded', () => {
  const [, source = ''] = /type TransferOutcome =([^;]+);/.exec(read('../src/contract/outcome.ts')) ?? [];
  const outcomes = Array.from(source.matchAll(/'(\w+)'/g), ([, outcome]) => outcome);
  const rows = Array.from(read('../README.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (yes|no) \|/gm));
  const listed = rows.flatMap(([, names = '', recorded]) =>
    Array.from(names.matchAll(/\w+/g), ([name]) => ({ name, isRecorded: recorded === 'yes' })),
  );
  expect(listed.map(({ name }) => name)).toEqual(outcomes);
  const unrecorded = listed.filter(({ isRecorded }) => !isRecorded).map(({ name }) => name);
  expect(unrecorded).toEqual([...unrecordedOutcomes]);
});

test('the example on Redis is a program that runs', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('redis/example.ts')}\`\`\``);
  const server = await ownServer();
  expect(await pay(server.url, 'p1')).toBe('created');
  expect(await pay(server.url, 'p1')).toBe('created');
  expect(await pay(server.url, 'p2')).toBe('insufficient_funds');
});

test('a pool is coupled as the README shows', async () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('readme-pool.ts')}\`\`\``);
  const scene = await openScene();
  const coupled = payments(scene.pool, scene.ledger, (wallet) => wallet === 'a');
  const hash = 'ab'.repeat(32);
  const payload = Buffer.from(JSON.stringify({ from: 'a', to: 'b', cents: 101 }));
  expect(await coupled.submit({ hash, payload })).toMatchObject({ kind: 'refused', outcome: 'insufficient_funds' });
});
