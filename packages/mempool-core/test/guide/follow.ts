import type { ChainPoint } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

await using pool = await ephemeral.open();
const tx = 'c0ffee'.padEnd(64, '0');
await pool.submit({ hash: tx, payload: new Uint8Array([1]), payloadType: 0 });

const point = (slot: number, id: string): ChainPoint => ({ slot, hash: id.repeat(32) });
const [a1, a2, b2] = [point(10, 'a1'), point(20, 'a2'), point(21, 'b2')];

// Apply two blocks. The second one carries our transaction.
await pool.confirm({ point: a1, seen: [] });
await pool.confirm({ point: a2, parent: a1.hash, seen: [tx] });
console.log((await pool.status(tx)).stage);

// The chain switches to another branch: undo a2, apply b2.
const undone = await pool.rollback(a1);
console.log(undone.kind, (await pool.status(tx)).stage);
await pool.confirm({ point: b2, parent: a1.hash, seen: [tx] });

// A block on a parent that is not the tip is refused.
const gap = await pool.confirm({ point: point(40, 'b4'), parent: 'b3'.repeat(32), seen: [] });
console.log(gap.kind);

// After a restart: ask your chain for what follows these points, the newest first.
const { points } = await pool.tip({ points: 10 });
console.log(points.map(({ slot }) => slot).join(' '));
