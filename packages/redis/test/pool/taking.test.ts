import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { inject, test } from 'vitest';
import { checkKilledTaker, checkRacingTakers, type StartTaker } from '../../../../conformance/test/arrival-takers.ts';
import { openPool } from '../own-server.ts';

const program = fileURLToPath(new URL('./taker.ts', import.meta.url));

async function setUp() {
  const [url, pool] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool });
  const startTaker: StartTaker = (owner, leaseMs) => {
    const args = ['--conditions=mempool-source', program, url, pool, owner, String(leaseMs)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  return { store, startTaker };
}

test('N1: processes that take from one pool at once get each transaction once', async () => {
  const { store, startTaker } = await setUp();
  await checkRacingTakers(store, startTaker);
});

test('X1: what a killed process had taken is Pending again after its leases, at its place', async () => {
  const { store, startTaker } = await setUp();
  await checkKilledTaker(store, startTaker);
});
