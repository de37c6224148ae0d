import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from 'mempool-testkit';
import { scratchFolder, testReadme } from 'mempool-testkit/vitest';
import { expect, inject, test } from 'vitest';
import { nextBaseFee } from '../src/chain.ts';

const folder = new URL('..', import.meta.url);
testReadme(folder, ['src/chain.ts', 'src/main.ts', 'src/builder.ts', 'src/builder.ts']);

const places: Readonly<Record<string, () => string>> = {
  sqlite: () => join(scratchFolder(), 'pool.sqlite'),
  redis: () => inject('redisUrl'),
};

test.each(Object.entries(places))('it builds the same blocks on %s', async (backend, place) => {
  const { stdout, stderr } = await runProgram([fileURLToPath(new URL('src/main.ts', folder)), backend, place()]);
  expect(stderr).toBe('');
  expect(readFileSync(new URL('README.md', folder), 'utf8')).toContain(`\n\`\`\`\n${stdout}\`\`\`\n`);
});

test('the base fee moves by an eighth at most, and stays at half a block', () => {
  expect([0, 250_000, 500_000, 500_001, 1_000_000].map((gas) => nextBaseFee(800, gas))).toEqual([
    700, 750, 800, 801, 900,
  ]);
});
