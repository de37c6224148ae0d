/** One node on its own, for machines or containers of their own: the chain is known by the clock, the log lines go to stdout. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { openMempool, Watcher } from 'mempool-core';
import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { poolSettings } from './pool-settings.ts';
import { runProgram } from './program.ts';
import { TimedChain } from './timed-chain.ts';

const options = {
  id: { type: 'string' },
  url: { type: 'string', default: 'redis://127.0.0.1:6379' },
  pool: { type: 'string', default: 'mempool' },
  genesis: { type: 'string' },
  'block-seconds': { type: 'string', default: '1' },
  ttl: { type: 'string', default: '10000' },
} as const;

await runProgram('lone-node', async (signal) => {
  const { id, url, pool, genesis, ttl, 'block-seconds': seconds } = parseArgs({ options }).values;
  if (!Number(genesis)) throw new Error('--genesis must be when the chain begins, in seconds since 1970');
  const chain = new TimedChain({ genesis: Number(genesis), blockSeconds: Number(seconds) });
  await using mempool = await openMempool(poolSettings({ url, pool }), { redis });
  await using election = createElection(redisElection, { nodeId: id, url, pool, ttlMs: Number(ttl) });
  const log = (_level: string, message: string) => console.log(`${election.id} ${message}`);
  await using watcher = new Watcher({ election, pool: mempool, source: chain, log });
  // Each node has heard of the transaction that the next block will carry: one of them is the first.
  const heard = async ({ point }: { readonly point: Parameters<TimedChain['nextTransaction']>[0] | null }) => {
    if (point === null) return;
    const { kind } = await mempool.submit(chain.nextTransaction(point));
    if (kind === 'received')
      console.log(`${election.id} brought in the transaction of the block after slot ${point.slot}`);
  };
  watcher.on('skipped', heard);
  watcher.on('applied', ({ tip }) => heard(tip));
  await watcher.start();
  await election.start();
  // A signal may have come while it started.
  if (!signal.aborted) await once(signal, 'abort');
  await watcher.stop();
  await election.stop();
});
