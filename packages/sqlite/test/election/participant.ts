// A node of an election with a pool in the same file. Says what happens to it, one JSON object per line, and does what it
// is told by the lines it reads: `confirm <n>`, `resign`, `stop`.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createElection, type Lease } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { hostClock } from '../../src/election/lease-clock.ts';
import { hashOf, pointOf } from '../numbered.ts';

const [path = '', nodeId = '', ttl = '', poll = ''] = process.argv.slice(2);
const { nowMs } = hostClock();

function tell(what: object): void {
  writeSync(1, `${JSON.stringify({ nodeId, atMs: nowMs(), ...what })}\n`);
}

const pool = await sqlite.open({ path, fenced: true });
const election = createElection(sqliteElection, { path, nodeId, ttlMs: Number(ttl), pollMs: Number(poll) });
let lease: Lease | null = null;
election.on('acquired', ({ term, token }) => {
  lease = { nodeId, token, term };
  tell({ kind: 'acquired', term, token });
});
election.on('lost', ({ term, reason }) => tell({ kind: 'lost', term, reason }));

async function obey(order: string): Promise<void> {
  const isLeader = election.isLeader();
  const [verb, n = ''] = order.split(' ');
  if (verb === 'confirm') {
    const block = { point: pointOf(Number(n)), seen: [hashOf(Number(n))], unseen: [] };
    const outcome = lease === null ? null : await pool.confirm(block, {}, { lease });
    tell({ kind: 'confirmed', isLeader, outcome: outcome?.kind ?? 'no lease' });
  } else if (verb === 'resign') await election.resign();
  else {
    await election.stop();
    await pool.close();
    process.exit();
  }
}

createInterface({ input: process.stdin }).on('line', (order) => void obey(order));
await election.start();
tell({ kind: 'started', leader: election.leader?.nodeId ?? null });
