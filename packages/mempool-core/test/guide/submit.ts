import { openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

await using pool = await openMempool({ backend: 'ephemeral', finalizeThreshold: 2 }, { ephemeral });
const hash = 'c0ffee'.padEnd(64, '0');

// Submit. A repeat is a duplicate and changes nothing.
const first = await pool.submit({ hash, payload: new Uint8Array([1, 2, 3]) });
const again = await pool.submit({ hash, payload: new Uint8Array([1, 2, 3]) });
console.log(first.kind, again.kind);

// Send everything that waits, then note that a peer has it.
for await (const { hash } of pool.pending()) await pool.markInflight(hash);
await pool.markAcknowledged(hash);

// Wait. The two blocks would come from your chain.
const final = pool.waitFor(hash, { stage: 'Finalized' });
const [b1, b2] = ['b1'.repeat(32), 'b2'.repeat(32)];
await pool.confirm({ point: { slot: 10, hash: b1 }, seen: [hash] });
await pool.confirm({ point: { slot: 20, hash: b2 }, parent: b1, seen: [] });
const { status } = await final;
console.log(`${status.stage} after ${status.confirmations} blocks, in slot ${status.confirmedAt?.slot}`);
