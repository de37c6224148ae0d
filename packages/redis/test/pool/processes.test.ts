import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import {
  checkKilledTaker,
  checkRacingTakers,
  checkStoppedWorker,
  type StartTaker,
} from '../../../../conformance/test/takers.ts';
import { openPool } from '../own-server.ts';
import { mirrorNode } from '../priority/node.ts';
import { start } from '../process.ts';

/** To start processes may take a minute while many others start. */
const timeout = 120_000;

async function pool(ordering: 'fifo' | 'priority') {
  const [url, name] = [inject('redisUrl'), randomUUID()];
  const { store } = await openPool({ url, pool: name, ordering });
  return { url, name, store };
}

for (const [title, check] of [
  ['N1: processes that take from one pool at once get each transaction once', checkRacingTakers],
  ['X1: what a killed process had taken is Pending again after its leases, at its place', checkKilledTaker],
] as const)
  test.for(['fifo', 'priority'] as const)(`${title}: %s`, { timeout }, async (ordering) => {
    const { url, name, store } = await pool(ordering);
    const startTaker: StartTaker = (owner, claimMs) => start('./pool/taker.ts', [url, name, ordering, owner, claimMs]);
    await check(store, startTaker);
    if (ordering === 'fifo') return;
    const node = mirrorNode(url, name);
    expect(await node.remembered()).toEqual(await node.stored());
  });

test.for(['fifo', 'priority'] as const)(
  'P19: a worker stopped past its claim never acts on what another took: %s',
  {
    timeout,
  },
  async (ordering) => {
    const { url, name, store } = await pool(ordering);
    await checkStoppedWorker(store, (owner, claimMs) =>
      start('./pool/worker.ts', [url, name, ordering, owner, claimMs]),
    );
  },
);
