/** A node on the backend of this folder. Each run takes in one transaction and applies one block; the folder has it all. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { openMempool } from 'mempool-core';
import { leveldb } from './index.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

await mkdir('.data', { recursive: true });
const config = { backend: 'leveldb', path: '.data/pool.leveldb', finalizeThreshold: 3 };
await using mempool = await openMempool(config, { leveldb });

const { point: tip } = await mempool.tip();
console.log(tip === null ? 'a new pool' : `the pool of an earlier run: its tip is slot ${tip.slot}`);

const payload = randomBytes(300);
const hash = sha256(payload);
const { kind } = await mempool.submit({ hash, payload, payloadType: 6 });
console.log(`${hash.slice(0, 16)}… ${kind}`);

for await (const transaction of mempool.pending()) await mempool.markInflight(transaction.hash);

const point = { slot: (tip?.slot ?? 0) + 20, hash: sha256(randomBytes(32)) };
await mempool.confirm({ point, parent: tip?.hash, seen: [hash], unseen: [] });
const { confirmed, logged } = await mempool.usage();
console.log(`block at slot ${point.slot}: ${confirmed} confirmed, ${logged} final`);
