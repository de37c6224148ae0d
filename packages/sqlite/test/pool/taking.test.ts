import { join } from 'node:path';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { onTestFinished, test } from 'vitest';
import { checkKilledTaker, checkRacingTakers, type StartTaker } from '../../../../conformance/test/arrival-takers.ts';
import { start } from '../program.ts';

async function pool() {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path });
  onTestFinished(() => store.close());
  const startTaker: StartTaker = (owner, leaseMs) => start('./pool/taker.ts', [path, owner, String(leaseMs)]);
  return { store, startTaker };
}

test('N1: processes that take from one file at once get each transaction once', async () => {
  const { store, startTaker } = await pool();
  await checkRacingTakers(store, startTaker);
});

test('X1: what a killed process had taken is Pending again after its leases, at its place', async () => {
  const { store, startTaker } = await pool();
  await checkKilledTaker(store, startTaker);
});
