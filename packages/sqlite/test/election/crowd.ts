// Takes part in several elections of a file at once. Says what it won and lost, and who leads each once told to stop.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createElection } from 'mempool-election';
import { sqliteElection } from 'mempool-sqlite';
import { hostClock } from '../../src/election/lease-clock.ts';
import { numbers } from '../numbered.ts';

const [path = '', nodeId = '', count = ''] = process.argv.slice(2);
const { nowMs } = hostClock();

function tell(what: object): void {
  writeSync(1, `${JSON.stringify({ nodeId, atMs: nowMs(), ...what })}\n`);
}

const elections = numbers(Number(count)).map((n) =>
  createElection(sqliteElection, { path, nodeId, name: `e${n}`, ttlMs: 60_000 }),
);
for (const election of elections) {
  const { name } = election;
  election.on('acquired', ({ term }) => tell({ kind: 'acquired', name, term }));
  election.on('lost', ({ term, reason }) => tell({ kind: 'lost', name, term, reason }));
}
tell({ kind: 'ready' });

for await (const order of createInterface({ input: process.stdin })) {
  if (order === 'start') {
    await Promise.all(elections.map((election) => election.start()));
    tell({ kind: 'started' });
  } else if (order === 'look') {
    await Promise.all(elections.map((election) => election.campaign()));
    for (const { name, leader, term } of elections) tell({ kind: 'sees', name, term, leader: leader?.nodeId ?? null });
    tell({ kind: 'looked' });
  } else {
    await Promise.all(elections.map((election) => election.stop()));
    process.exit();
  }
}
