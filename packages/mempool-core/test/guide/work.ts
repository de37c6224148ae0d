import { openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

await using pool = await openMempool({ backend: 'ephemeral' }, { ephemeral });
const ids = ['a1', 'b2', 'c3'];
for (const id of ids) await pool.submit({ hash: id.repeat(32), payload: Buffer.from(id), payloadType: 0 });

// A node that is busy at the first attempt, and never takes c3.
async function send(payload: Uint8Array, attempt: number): Promise<void> {
  if (attempt === 1) throw new Error('busy');
  if (String(payload) === String(Buffer.from('c3'))) throw new Error('bad transaction');
}

// Send what waits: two at a time, three attempts each, a moment between them.
const stop = new AbortController();
const work = pool.work(({ payload }, { attempt }) => send(payload, attempt), {
  concurrency: 2,
  attempts: 3,
  backoff: (attempt) => 10 * attempt,
  signal: stop.signal,
});

for (const id of ids) {
  const { kind, status } = await pool.waitFor(id.repeat(32), { stage: 'Acknowledged' });
  console.log(id, kind, status.reason ?? status.stage);
}
stop.abort();
const { acknowledged, released, failed } = await work;
console.log(acknowledged, released, failed);
