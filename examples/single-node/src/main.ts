/** A node that keeps its mempool in a file: one transaction, from its submission until the chain has made it final. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { openNode } from 'mempool-node';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

await mkdir('.data', { recursive: true });
await using node = await openNode(process.argv[2] ?? 'pool.toml');
const { pool: mempool } = node;
const { point: start } = await mempool.tip();
console.log(start === null ? 'a new pool' : `the pool of an earlier run: its tip is slot ${start.slot}`);

// A user submits a transaction. Resolved means stored: it survives a kill and a power cut from here on.
const payload = randomBytes(300);
const hash = sha256(payload);
await mempool.submit({ hash, payload, payloadType: 6 });
const finalized = mempool.waitFor(hash, { stage: 'Finalized' });
const stages = tell();

// The node sends to its peers what waits, in the order of its arrival.
for await (const transaction of mempool.pending()) {
  await mempool.markInflight(transaction.hash);
  await mempool.markAcknowledged(transaction.hash);
}

// The chain grows by six blocks. The first one carries the transaction.
let tip = start;
for (const seen of [[hash], [], [], [], [], []]) {
  const point = { slot: (tip?.slot ?? 0) + 20, hash: sha256(randomBytes(32)) };
  await mempool.confirm({ point, parent: tip?.hash, seen });
  tip = point;
}

const { status } = await finalized;
await stages;
const { logged } = await mempool.usage();
console.log(
  `final: ${status.confirmations} confirmations since slot ${status.confirmedAt?.slot}; ${logged} final in this pool so far`,
);

async function tell(): Promise<void> {
  for await (const { stage } of mempool.watch([hash])) {
    console.log(`${hash.slice(0, 16)}… ${stage}`);
    if (stage === 'Finalized') break;
  }
}
