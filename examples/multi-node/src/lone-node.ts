/** One node on its own, for machines or containers of their own: the chain is known by the clock, the log lines go to stdout. */
import { once } from 'node:events';
import { openMempool, Watcher } from 'mempool-core';
import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import { loneHelp, readLoneSettings } from './command-line.ts';
import { poolSettings } from './pool-settings.ts';
import { runProgram } from './program.ts';
import { TimedChain } from './timed-chain.ts';

await runProgram('lone-node', async (signal) => {
  const settings = readLoneSettings(process.argv.slice(2));
  if (settings === null) return console.log(loneHelp);
  const { id, url, pool, genesis, blockSeconds, ttlMs } = settings;
  const chain = new TimedChain({ genesis, blockSeconds });
  await using mempool = await openMempool(poolSettings({ url, pool }), { redis });
  await using election = createElection(redisElection, { nodeId: id, url, pool, ttlMs });
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
