import { once } from 'node:events';
import { join } from 'node:path';
import { openLedger } from 'mempool-ledger';
import { sqliteLedger } from 'mempool-ledger/sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { report, start } from '../../../sqlite/test/program.ts';

interface Reported {
  readonly outcomes: readonly string[];
  readonly digests: readonly string[];
  readonly carriedOut: number;
}

test('of 500 debits at once by two processes a balance of 100 covers 100; one id 50 times at once has one effect', async () => {
  const path = join(scratchFolder(), 'ledger.db');
  const ledger = await openLedger(sqliteLedger, { path, currency: 'ADA' });
  for (const id of ['alice', 'bob']) await ledger.createWallet({ id, owner: id, currency: 'ADA' });
  await ledger.transfer({ id: 'fund', source: 'vault', destination: 'alice', amount: 100n, currency: 'ADA' });
  const reports = (await Promise.all(
    ['a', 'b'].map((name) => report('../../ledger/test/sqlite/debtor.ts', [path, name, '250', '25'])),
  )) as Reported[];
  const outcomes = reports.flatMap((each) => each.outcomes);
  const countOf = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  expect([countOf('created'), countOf('insufficient_funds')]).toEqual([100, 400]);
  expect(new Set(reports.flatMap(({ digests }) => digests)).size).toBe(1);
  expect(reports.flatMap(({ digests }) => digests)).toHaveLength(50);
  expect(reports.reduce((sum, { carriedOut }) => sum + carriedOut, 0)).toBe(1);
  expect(await ledger.wallet('bob')).toMatchObject({ creditsPosted: 101n });
  expect(await ledger.wallet('alice')).toMatchObject({ creditsPosted: 100n, debitsPosted: 100n });
  expect(await ledger.audit()).toMatchObject({ ok: true, faults: [] });
  await ledger.close();
});

test('a subscriber hears of what another process wrote, each record once and in order', async () => {
  const path = join(scratchFolder(), 'ledger.db');
  const ledger = await openLedger(sqliteLedger, { path, currency: 'ADA' });
  for (const id of ['alice', 'bob']) await ledger.createWallet({ id, owner: id, currency: 'ADA' });
  const child = start('../../ledger/test/sqlite/debtor.ts', [path, 'a', '20', '5']);
  const closed = once(child, 'close');
  const seen: number[] = [];
  for await (const event of ledger.subscribe({ after: 3 })) {
    if (event.type !== 'transfer') throw new Error(`unexpected: ${event.type}`);
    seen.push(event.seq);
    if (event.transfer.id === 'same') break;
  }
  expect(seen).toEqual(Array.from({ length: 21 }, (_, n) => n + 4));
  child.stdout?.resume();
  await closed;
  await ledger.close();
});
