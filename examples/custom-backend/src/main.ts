/** A node on the backend of this folder. Each run takes in one transaction and applies one block; the file has it all. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { openMempool } from 'mempool-core';
import { journal } from './index.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

await mkdir('.data', { recursive: true });
const config = { backend: 'journal', path: '.data/pool.journal', finalizeThreshold: 3 };
await using mempool = await openMempool(config, { journal });

const { point: tip } = await mempool.tip();
console.log(tip === null ? 'a new pool' : `the pool of an earlier run: its tip is slot ${tip.slot}`);

// Resolved means stored: a kill or a power cut from here on takes nothing away.
const payload = randomBytes(300);
const hash = sha256(payload);
const { kind } = await mempool.submit({ hash, payload, payloadType: 6 });
console.log(`${hash.slice(0, 16)}… ${kind}`);

for await (const transaction of mempool.pending()) await mempool.markInflight(transaction.hash);

const point = { slot: (tip?.slot ?? 0) + 20, hash: sha256(randomBytes(32)) };
await mempool.confirm({ point, parent: tip?.hash, seen: [hash] });
const { confirmed, logged } = await mempool.usage();
console.log(`block at slot ${point.slot}: ${confirmed} confirmed, ${logged} final`);
