import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeSyntheticChain } from 'cardano-chains';
import type { Summary } from 'mempool-server';
import { type Running, startProgram } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from './browser.ts';
import { answersTo, shownOn, totalsOf } from './shown-numbers.ts';

const program = fileURLToPath(new URL('../../../../examples/cardano-replay/src/main.ts', import.meta.url));

/** A replay that takes minutes unless it is stopped. */
async function startReplay(): Promise<Running & { readonly url: string }> {
  const cwd = scratchFolder();
  const file = join(cwd, 'long.chunk');
  await writeFile(file, Buffer.concat([...encodeSyntheticChain({ seed: 5, blocks: 20_000, maxTransactions: 4 })]));
  const running = startProgram([program, file, '--fork-every', '7'], { cwd });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    running.child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [found] = /http:\/\/\S+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void running.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { ...running, url };
}

test('the page of a replay shows the numbers of the API while blocks are applied and undone, and changes nothing', async () => {
  const { url, child, ended } = await startReplay();
  expect((await fetch(`${url}/api/v1/flush`, { method: 'POST', body: '{}' })).status).toBe(405);
  // The end of the replay is the end of the connection.
  const { page } = await openPage({ expected: /net::ERR_|Failed to load resource/ });
  const answers = answersTo(page);
  await page.goto(url);
  await expect.poll(async () => (await shownOn(page)).cursor).toMatch(/^e/);
  const shown: number[] = [];
  for (let i = 0; i < 8; i++) {
    const { cursor, numbers } = await shownOn(page);
    const given = () => (answers('/api/v1/summary') as Summary[]).filter((each) => each.cursor === cursor);
    await expect.poll(() => given().length).toBeGreaterThan(0);
    const [first] = given();
    if (first !== undefined) expect(numbers).toMatchObject(totalsOf(first));
    shown.push(first?.stages.Finalized ?? 0);
    await page.waitForTimeout(500);
  }
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(new Set(shown).size).toBeGreaterThan(2);
  child.kill('SIGTERM');
  const { code } = await ended;
  expect(code).toBe(143);
  await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('no-data');
});
