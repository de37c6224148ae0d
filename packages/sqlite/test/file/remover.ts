// Opens the pool, writes to it and removes it, beside others that do the same, until it has removed it so many times. Ends with an error
// if the pool is not whole, or refused with another code than expected.
import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { hashOf, transaction } from '../numbered.ts';

const [path = '', first = '0', wanted = '0'] = process.argv.slice(2);
let removed = 0;
for (let n = Number(first); removed < Number(wanted); n += 1) {
  const store = await sqlite.open({ path });
  const [outcome] = await store.receive([transaction(n)]);
  assert.equal(outcome?.kind, 'received');
  // Those who removed it meanwhile would have taken this away.
  const [status] = await store.status([hashOf(n)]);
  assert.equal(status?.stage, 'Pending');
  await store.close();
  const done = await sqlite.remove({ path }).catch((error) => {
    if (isMempoolError(error, 'ERR_MEMPOOL_IN_USE')) return false;
    throw error;
  });
  removed += Number(done);
}
console.log(removed);
