import { join } from 'node:path';
import { sqlite } from 'mempool-sqlite';
import { onTestFinished, test } from 'vitest';
import { checkKilledTaker, checkRacingTakers, type StartTaker } from '../../../../conformance/test/arrival-takers.ts';
import { start } from '../program.ts';
import { scratch } from '../scratch.ts';

async function pool() {
  const path = join(scratch(), 'pool.db');
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
