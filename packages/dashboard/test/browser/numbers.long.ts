import { createHash } from 'node:crypto';
import { type RunningServer, type Summary, startDemo } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { served } from '../../../server/test/http/served.ts';
import { openPage } from './browser.ts';
import { answersTo, ratesOf, type Shown, shownOn, timeOf, totalsOf } from './shown-numbers.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A pool in which something of everything has happened, and nothing happens any more. */
async function usedServer(): Promise<RunningServer> {
  const server = await served({ backend: 'ephemeral', ordering: 'priority', finalizeThreshold: 2 });
  const { pool } = server;
  const hashes = Array.from({ length: 1_234 }, (_, i) => hashOf(`transaction ${i}`));
  const payload = new Uint8Array([1]);
  const all = hashes.map((hash, i) => ({ hash, payload, payloadType: 0, verdict: { priority: BigInt(i) } }));
  for (let i = 0; i < all.length; i += 100) await pool.receive(all.slice(i, i + 100));
  await pool.markInflight(hashes.slice(0, 60));
  await pool.markAcknowledged(hashes.slice(0, 50));
  const block = (slot: number) => ({ slot, hash: hashOf(`block ${slot}`) });
  await pool.confirm({ point: block(1), parent: null, seen: hashes.slice(0, 20), unseen: [] });
  await pool.confirm({ point: block(2), parent: block(1).hash, seen: hashes.slice(20, 30), unseen: [] });
  await pool.drop(hashes.slice(100, 107), 'invalid');
  await pool.drop(hashes.slice(107, 110), { app: 'refused by a peer' });
  return server;
}

async function summaryOf({ url }: RunningServer): Promise<Summary> {
  return (await (await fetch(`${url}/api/v1/summary`)).json()) as Summary;
}

test('the page shows the numbers of the API at the same event', async () => {
  const server = await usedServer();
  const { page } = await openPage();
  const answers = answersTo(page);
  await page.goto(server.url);
  const { cursor } = await summaryOf(server);
  await expect.poll(async () => (await shownOn(page)).cursor).toBe(cursor);
  const { numbers } = await shownOn(page);
  const own = await summaryOf(server);
  expect(own).toMatchObject({ cursor, stages: { Pending: 1_164, Confirmed: 10, Finalized: 20, Dropped: 10 } });
  expect(numbers).toMatchObject(totalsOf(own));
  // Rates fall while nothing happens: they are those of one of the answers that the page got.
  const given = (answers('/api/v1/summary') as Summary[]).filter((each) => each.cursor === cursor);
  expect(given.map(ratesOf)).toContainEqual(pick(numbers, Object.keys(ratesOf(own))));
  for (const [field, exact] of Object.entries({ p50Ms: own.finality.p50Ms, p95Ms: own.finality.p95Ms })) {
    const { ms, within } = timeOf(numbers[`summary.finality.${field}`] ?? '');
    expect(Math.abs(ms - (exact ?? Number.NaN))).toBeLessThanOrEqual(within);
  }
});

function pick(numbers: Shown, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, numbers[name]]));
}

test('while a chain grows and forks, what the page shows is at each moment one answer of the API', async () => {
  const server = await startDemo({ stepMs: 50, server: { port: 0 } });
  onTestFinished(() => server.close());
  const { page } = await openPage();
  const answers = answersTo(page);
  await page.goto(server.url);
  await page.waitForSelector('[data-cursor]');
  const cursors = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { cursor, numbers } = await shownOn(page);
    cursors.add(cursor);
    await expect
      .poll(() => (answers('/api/v1/summary') as Summary[]).some((each) => each.cursor === cursor))
      .toBe(true);
    const given = (answers('/api/v1/summary') as Summary[]).filter((each) => each.cursor === cursor);
    const expected = given.map((each) => ({ ...totalsOf(each), ...ratesOf(each) }));
    expect(expected).toContainEqual(pick(numbers, Object.keys(expected[0] ?? {})));
    await page.waitForTimeout(250);
  }
  // About one read a second.
  expect(cursors.size).toBeGreaterThan(3);
});
