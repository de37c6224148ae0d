import { createElection } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';

/** The example of the README: whichever node leads applies the block, under its lease. */
export async function applyAsLeader(url: string, nodeId: string): Promise<string> {
  await using pool = await redis.open({ url, keyPrefix: 'dolos:mempool', fenced: true });
  await using election = createElection(redisElection, { url, keyPrefix: 'dolos:mempool', nodeId });
  await election.start();

  return await election.runAsLeader(async (_signal, _term, { lease }) => {
    const block = { point: { slot: 1, hash: 'b1'.repeat(32) }, seen: [] };
    const outcome = await pool.confirm(block, {}, { lease });
    return outcome.kind;
  });
}
