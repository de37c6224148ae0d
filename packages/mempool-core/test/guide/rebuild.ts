import type { ChainPoint, Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

// A follower keeps the slot of each transaction that is in a block, and the cursor.
let kept = { cursor: 'origin', slots: new Map<string, number>() };

// Begins again with the transactions that are in a block now. The cursor belongs to the same commit.
async function rebuild(pool: Mempool): Promise<void> {
  const { transactions, complete, cursor } = await pool.confirmed();
  console.log(`rebuilt, ${complete ? 'complete' : 'older ones are missing'}`);
  kept = { cursor, slots: new Map(transactions.map(({ hash, point }) => [hash, point.slot])) };
}

async function follow(pool: Mempool): Promise<void> {
  const end = (await pool.usage()).cursors.events;
  for await (const event of await pool.subscribe({ after: kept.cursor })) {
    if (event.kind === 'lagged') {
      await rebuild(pool);
      break;
    }
    if (event.kind === 'transaction' && event.point !== null) kept.slots.set(event.hash, event.point.slot);
    else if (event.kind === 'transaction') kept.slots.delete(event.hash);
    kept.cursor = event.cursor;
    if (event.cursor === end) break;
  }
  console.log([...kept.slots].map(([hash, slot]) => `${hash.slice(0, 2)} in ${slot}`).join(', '));
}

await using pool = await ephemeral.open({ maxEvents: 8, finalizeThreshold: 1 });
const [ann, ben] = ['aa'.repeat(32), 'bb'.repeat(32)];
const point = (slot: number, id: string): ChainPoint => ({ slot, hash: id.repeat(32) });
await pool.receive([ann, ben].map((hash) => ({ hash, payload: new Uint8Array([1]) })));
await pool.confirm({ point: point(10, 'a1'), seen: [ann] });
await follow(pool);

// Many events while the follower is away: ben's block is undone, and another block carries the transaction.
await pool.confirm({ point: point(20, 'a2'), seen: [ben] });
await pool.rollback(point(10, 'a1'));
await pool.confirm({ point: point(21, 'b2'), parent: 'a1'.repeat(32), seen: [ben] });
for (let slot = 30; slot < 40; slot++) await pool.confirm({ point: point(slot, `${slot}`), seen: [] });
await follow(pool);
for await (const { hash, point } of pool.finalized()) console.log(`the log: ${hash.slice(0, 2)} in ${point?.slot}`);
