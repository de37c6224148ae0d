import { DatabaseSync } from 'node:sqlite';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { memoryLedger, openLedger } from '../../src/index.ts';
import { fill } from './filled.ts';
import { Scene } from './scene.ts';

/** Cuts the stored payloads of transactions in half, while nobody has the pool open. */
function damage(path: string, ...hashes: readonly string[]): void {
  const file = new DatabaseSync(path);
  const cut = file.prepare('UPDATE tx SET payload = substr(payload, 1, length(payload) / 2) WHERE hash = ?');
  for (const hash of hashes) expect(cut.run(Buffer.from(hash, 'hex')).changes).toBe(1);
  file.close();
}

test('the money of a transaction that is damaged in flight stays reserved while a block may have it', async () => {
  const path = `${scratchFolder()}/pool.sqlite`;
  const open = () => sqlite.open({ path, finalizeThreshold: 3 });
  const ledger = await openLedger(memoryLedger, { currency: 'EUR' });
  await fill(ledger);
  const before = new Scene(await open(), ledger, {});
  const [mined, returned] = [await before.submitted('a>c:60'), await before.submitted('b>c:30')];
  await before.pool.markInflight([mined.hash, returned.hash]);
  await before.payments.catchUp();
  await before.pool.close();

  damage(path, mined.hash, returned.hash);
  const scene = new Scene(await open(), ledger, {});
  onTestFinished(() => scene.pool.close());
  expect(await scene.pool.findInflight([mined.hash, returned.hash])).toEqual([null, null]);
  await scene.payments.catchUp();
  expect(await scene.available('a', 'b', 'c')).toEqual([40, 70, 100]);
  await scene.finalized(mined);
  await scene.pool.release([returned.hash]);
  await scene.payments.catchUp();
  expect([await scene.reservations(mined), await scene.reservations(returned)]).toEqual([['posted'], ['voided']]);
  expect(await scene.available('a', 'b', 'c')).toEqual([40, 100, 160]);
  expect(scene.reports).toEqual([]);
  await scene.expectClean();
});
