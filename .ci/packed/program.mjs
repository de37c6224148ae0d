// What a user of the packages writes first: it must run on every Node that is supported, from the archives alone.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ephemeral } from 'mempool-ephemeral';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';

const hash = '0a'.repeat(32);
const point = { slot: 1, hash: '0b'.repeat(32) };

async function fromReceivedToFinalized(store) {
  const payload = new Uint8Array([1, 2, 3]);
  assert.equal((await store.receive([{ hash, payload, payloadType: 0 }]))[0].kind, 'received');
  assert.deepEqual(await store.markInflight([hash]), [hash]);
  assert.equal((await store.confirm({ point, seen: [hash], unseen: [] }, { finalizeThreshold: 1 })).kind, 'applied');
  assert.equal((await store.checkStatus([hash]))[0].stage, 'Finalized');
  assert.deepEqual(Buffer.from((await store.dumpFinalized()).entries[0].payload), Buffer.from(payload));
  await store.close();
}

const folder = mkdtempSync(join(tmpdir(), 'mempool-program-'));
try {
  await fromReceivedToFinalized(await ephemeral.open());
  await fromReceivedToFinalized(await sqlite.open({ path: join(folder, 'mempool.sqlite') }));
  // Its scripts lie beside its entry: asking for a server that is not there shows that they are found.
  await assert.rejects(redis.open({ url: 'redis://127.0.0.1:1', timeoutMs: 100 }), { code: 'ERR_MEMPOOL_UNAVAILABLE' });
  console.log(`Node ${process.version}: ephemeral, sqlite and redis work as packed`);
} finally {
  rmSync(folder, { recursive: true });
}
