import { createElection } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';

/** The example of the README: whichever process leads applies the block, under its lease. */
export async function applyAsLeader(path: string, nodeId: string): Promise<string> {
  await using pool = await sqlite.open({ path, fenced: true });
  await using election = createElection(sqliteElection, { path, nodeId });
  await election.start();

  return await election.runAsLeader(async (_signal, _term, { lease }) => {
    const block = { point: { slot: 1, hash: 'b1'.repeat(32) }, seen: [] };
    const outcome = await pool.confirm(block, {}, { lease });
    return outcome.kind;
  });
}
