import type { Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

const transaction = (id: string) => ({ hash: id.repeat(32), payload: new Uint8Array([1]) });

// What a follower keeps: its totals, and the cursor of the last event that is in them. Write both in one step.
let kept = { cursor: 'origin', received: 0, dropped: 0 };

// Reads the events behind the cursor. This one stops at the last event that there is now.
async function follow(pool: Mempool): Promise<void> {
  const end = (await pool.usage()).cursors.events;
  for await (const event of await pool.subscribe({ after: kept.cursor })) {
    if (event.kind === 'lagged') {
      console.log(event.restarted ? 'another pool' : `${event.missed} missed`);
      kept = { cursor: event.cursor, received: 0, dropped: 0 };
    } else if (event.kind === 'transaction') {
      const { cause, stage } = event;
      kept.received += Number(cause === 'received');
      kept.dropped += Number(stage === 'Dropped');
    }
    kept.cursor = event.cursor;
    if (event.cursor === end) break;
  }
  console.log(`${kept.received} received, ${kept.dropped} dropped`);
}

await using pool = await ephemeral.open();
await pool.submit(transaction('a1'));
await follow(pool);

// Meanwhile the pool changes. The follower counts each event once.
await pool.submit(transaction('b2'));
await pool.drop('a1'.repeat(32), { app: 'withdrawn' });
await follow(pool);

// The pool is made anew: the old totals say nothing about it.
await using other = await ephemeral.open();
await other.submit(transaction('c3'));
await follow(other);
