import { expect, test } from 'vitest';
import { ledgerServer } from '../../../ledger/test/server/ledger-client.ts';
import { served, tokenOf } from '../../../server/test/http/served.ts';
import { barriers } from './axe.ts';
import { openPage } from './browser.ts';

const stranger = '<b onclick="window.owned = true">ann</b>';

test('the page shows the ledger: totals, records as they come, wallets, an audit', async () => {
  const { server, client } = await ledgerServer();
  await client.fund('ann', stranger, '100');
  const { page } = await openPage();
  await page.goto(server.url);
  const ledger = page.locator('section.ledger');
  await ledger.waitFor();
  await expect.poll(() => ledger.locator('.records tbody tr').count()).toBe(3);
  expect(await ledger.locator('[data-field="ledger.issued"]').textContent()).toBe('100');
  expect(await ledger.locator('.records tbody').textContent()).toContain(`wallet ann of ${stranger}`);

  await client.fund('ben', 'ben', '12345');
  const first = ledger.locator('.records tbody tr').first();
  await expect.poll(() => first.textContent()).toContain('12,345');
  await client.post('/transfers', { source: 'ann', destination: 'ben', amount: '101' }, 'too much');
  await expect.poll(() => first.textContent()).toContain('insufficient_funds');
  await expect.poll(() => ledger.locator('[data-field="ledger.issued"]').textContent()).toBe('12,445');
  await expect.poll(() => ledger.locator('[data-field="ledger.seq"]').textContent()).toBe('6');

  const find = ledger.locator('#wallet');
  await find.fill(stranger);
  await find.press('Enter');
  await expect.poll(() => ledger.locator('.find ~ .table-box tbody').textContent()).toContain(stranger);
  await find.fill('ben');
  await find.press('Enter');
  await expect.poll(() => ledger.locator('.find ~ .table-box tbody').textContent()).toContain('12,345');
  await ledger.getByRole('button', { name: 'Audit' }).click();
  await expect.poll(() => ledger.locator('.audit p').textContent()).toContain('Right: 6 records and 3 wallets');
  expect(await page.evaluate(() => 'owned' in window)).toBe(false);
  expect(await barriers(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test('a search that finds nothing says so, and so does one that the server refuses', async () => {
  const { server } = await ledgerServer();
  const { page } = await openPage({ expected: /status of 40[04]/ });
  await page.goto(server.url);
  const ledger = page.locator('section.ledger');
  await ledger.locator('#wallet').fill('nobody');
  await ledger.locator('#wallet').press('Enter');
  await expect.poll(() => ledger.textContent()).toContain('No wallet has the words nobody.');
  await ledger.locator('#wallet').fill('x'.repeat(300));
  await ledger.locator('#wallet').press('Enter');
  await expect.poll(() => ledger.locator('.audit .wrong').textContent()).not.toBe('');
});

test('whoever may not read the ledger sees the page without it, and nothing is refused on the way', async () => {
  const tokens = [tokenOf('viewer', ['read'])];
  const server = await served(undefined, { tokens }, {}, {}, { ledger: { currency: 'ADA' } });
  const { page } = await openPage();
  await page.goto(`${server.url}/login`);
  await page.locator('input[name="token"]').fill('viewer');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.status').getAttribute('data-state')).toBe('live');
  await page.locator('.election').waitFor();
  expect(await page.locator('section.ledger').count()).toBe(0);
});
