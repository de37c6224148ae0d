// A ledger on each store, from the archives alone.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { memoryLedger, openLedger } from 'mempool-ledger';
import { openNodeLedger } from 'mempool-ledger/config';
import { redisLedger } from 'mempool-ledger/redis';
import { sqliteLedger } from 'mempool-ledger/sqlite';

const currency = 'EUR';
const name = `packed-${randomUUID()}`;
const path = join(process.env.PACKED_POOLS, `${name}.sqlite`);
const money = { currency, source: 'ann', destination: 'ben' };

async function pays(ledger) {
  for (const id of ['ann', 'ben']) await ledger.createWallet({ id, owner: id, currency });
  const calls = [
    { ...money, kind: 'transfer', id: 'gift', source: '~vault', destination: 'ann', amount: 10n },
    { ...money, kind: 'reserve', id: 'rent', amount: 6n },
    { kind: 'post', id: 'due', pendingId: 'rent' },
    { ...money, kind: 'transfer', id: 'more', amount: 5n },
  ];
  const outcomes = (await ledger.batch(calls)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ['created', 'created', 'created', 'insufficient_funds']);
  assert.equal((await ledger.audit()).ok, true);
  await ledger.close();
}

await pays(await openLedger(memoryLedger, { currency }));
await pays(await openLedger(sqliteLedger, { currency, path }));
await pays(await openLedger(redisLedger, { currency, name, url: process.env.PACKED_REDIS_URL }));
await pays(await openNodeLedger({ backend: 'sqlite', path }, { currency }));
console.log('ledgers in memory, in a file and on Redis work as packed');
