// A node of the elections named, in a file with a pool. Prints what happens to it, one JSON object per line, and does what the
// lines that it reads say: `start`, `look`, `confirm <n>`, `stop`.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createElection, type Lease } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { hostClock } from '../../src/election/lease-clock.ts';
import { hashOf, pointOf } from '../numbered.ts';

const [path = '', nodeId = '', ttl = '', poll = '', ...names] = process.argv.slice(2);
const { nowMs } = hostClock();

function tell(what: object): void {
  writeSync(1, `${JSON.stringify({ nodeId, atMs: nowMs(), ...what })}\n`);
}

const pool = await sqlite.open({ path, fenced: true });
const elections = names.map((name) =>
  createElection(sqliteElection, { path, nodeId, name, ttlMs: Number(ttl), pollMs: Number(poll) }),
);
let lease: Lease | null = null;
for (const election of elections) {
  const { name } = election;
  election.on('acquired', ({ term, token }) => {
    lease = { nodeId, token, term };
    tell({ kind: 'acquired', name, term, token });
  });
  election.on('lost', ({ term, reason }) => tell({ kind: 'lost', name, term, reason }));
}

const orders: Readonly<Record<string, (n: number) => Promise<void>>> = {
  async start() {
    await Promise.all(elections.map((election) => election.start()));
    tell({ kind: 'started' });
  },
  async look() {
    await Promise.all(elections.map((election) => election.campaign()));
    for (const { name, leader, term } of elections) tell({ kind: 'sees', name, term, leader: leader?.nodeId ?? null });
    tell({ kind: 'looked' });
  },
  async confirm(n) {
    const isLeader = elections.some((election) => election.isLeader());
    const block = { point: pointOf(n), seen: [hashOf(n)], unseen: [] };
    const outcome = lease === null ? null : await pool.confirm(block, {}, { lease });
    tell({ kind: 'confirmed', isLeader, outcome: outcome?.kind ?? 'no lease' });
  },
  async stop() {
    await Promise.all(elections.map((election) => election.stop()));
    await pool.close();
    process.exit();
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const [order = '', n = ''] = line.split(' ');
  void orders[order]?.(Number(n));
});
tell({ kind: 'ready' });
