import { openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

await using pool = await openMempool({ backend: 'ephemeral' }, { ephemeral });
const hash = 'a1'.repeat(32);
await pool.submit({ hash, payload: Buffer.from('an order') });

const stop = new AbortController();
const work = pool.work(({ payload }) => console.log(`sent ${payload.length} bytes`), {
  onSuccess: 'complete',
  signal: stop.signal,
});
const { status } = await pool.waitFor(hash, { stage: 'Finalized' });
console.log(`${status.stage} after ${status.confirmations} blocks`);
stop.abort();
console.log((await work).completed);
