// On a Node that is too old every way in says so, before anything native is loaded: that would end the process.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createElection, inProcessElection, Leases } from 'mempool-election';
import { ephemeral } from 'mempool-ephemeral';
import { redis } from 'mempool-redis';
import { sqlite, sqliteElection } from 'mempool-sqlite';

const message = /needs Node 22 or later.* v20\./;
const path = join(process.env.PACKED_POOLS, 'old-node.sqlite');
const unsupported = { code: 'ERR_MEMPOOL_UNSUPPORTED', message };
const refused = { code: 'ERR_ELECTION_REFUSED', message };

await assert.rejects(ephemeral.open(), unsupported);
await assert.rejects(sqlite.open({ path }), unsupported);
await assert.rejects(redis.open({ url: process.env.PACKED_REDIS_URL }), unsupported);
assert.throws(() => createElection(inProcessElection, { leases: new Leases(), nodeId: 'node-1' }), refused);
assert.throws(() => createElection(sqliteElection, { path, nodeId: 'node-1' }), refused);
await assert.rejects(import('./readme.mjs'), unsupported);
assert.equal(existsSync(path), false);
const { sharedObjects } = process.report.getReport();
assert.deepEqual(
  sharedObjects.filter((file) => file.includes('sqlite')),
  [],
);
console.log('every way in says which Node it needs');
