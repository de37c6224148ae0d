// Wins the lease and confirms one block under it, but is killed before a certain one of the confirmation's writes, or
// before its answer: whatever comes first. Says `answered` where it lived to.
import SqliteDatabase from 'better-sqlite3';
import { systemClock } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { block } from './killed-block.ts';

const [path = '', step = ''] = process.argv.slice(2);
let left = Number.POSITIVE_INFINITY;

/** From here on the process lives for so many more writes. */
function countDown(): void {
  left -= 1;
  if (left < 0) process.kill(process.pid, 'SIGKILL');
}

const probe = new SqliteDatabase(':memory:');
const statement: SqliteDatabase.Statement = Object.getPrototypeOf(probe.prepare('SELECT 1'));
const { run } = statement;
statement.run = function (this: SqliteDatabase.Statement, ...values: unknown[]): SqliteDatabase.RunResult {
  countDown();
  return run.apply(this, values);
};

const agreed = { name: 'watcher', ttlMs: 60_000, commandTimeoutMs: 10_000, clock: systemClock, log: () => undefined };
const leases = await sqliteElection.open({ ...agreed, path });
const candidate = { nodeId: 'confirmer', address: null, priority: 0 };
const request = { candidate, token: 'token-of-confirmer', ttlMs: 60_000, floor: 0 };
const reply = await leases.campaign({ ...request, dataLoss: 'wait', takeover: null });
if (reply.kind !== 'won') throw new Error(`not won: ${reply.kind}`);
const { nodeId, token, term } = reply.lease;
const pool = await sqlite.open({ path, fenced: true });
left = Number(step);
const confirming = pool.confirm(block, {}, { lease: { nodeId, token, term }, operationId: 'the block' });
// A call that was made is written at once, and answered later.
countDown();
await confirming;
console.log('answered');
process.kill(process.pid, 'SIGKILL');
