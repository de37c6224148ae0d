import type { MempoolEvent } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { block, filled, hash, open, transaction } from './tap.ts';

/** The next events of the stream, as text. */
async function next(stream: AsyncIterable<MempoolEvent>, count: number): Promise<string[]> {
  const told: string[] = [];
  for await (const event of stream) {
    told.push(event.kind === 'transaction' ? `${event.hash} ${event.stage}` : event.kind);
    if (told.length === count) break;
  }
  return told;
}

describe('subscribe with hashes (E3)', () => {
  it('delivers the events of these transactions only, in any form of their hashes', async () => {
    const { pool } = await open();
    const stream = await pool.subscribe({ hashes: [`0x${hash(2).toUpperCase()}`, hash(3)] });
    await pool.receive([transaction(1), transaction(2), transaction(3)]);
    await pool.confirm(block(1, 1, 3));
    const told = [`${hash(2)} Pending`, `${hash(3)} Pending`, `${hash(3)} Confirmed`];
    expect(await next(stream, 3)).toEqual(told);
  });

  it('resumes after a cursor, also one of an event of another transaction', async () => {
    const { pool } = await filled(1, 2);
    const { cursors } = await pool.usage();
    await pool.markInflight([hash(1), hash(2)]);
    expect(await next(await pool.subscribe({ hashes: [hash(2)], after: cursors.events }), 1)).toEqual([
      `${hash(2)} Propagated`,
    ]);
  });

  it('reports a loss', async () => {
    const { pool } = await open({}, { maxEvents: 1 });
    const stream = await pool.subscribe({ hashes: [hash(9)] });
    await pool.receive([transaction(1), transaction(2)]);
    await pool.confirm(block(1, 1, 2));
    await pool.receive([transaction(9)]);
    expect(await next(stream, 2)).toEqual(['lagged', `${hash(9)} Pending`]);
  });

  it('refuses a wrong hash', async () => {
    const { pool } = await open();
    const refused = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'hashes[1]' } };
    await expect(pool.subscribe({ hashes: [hash(1), 'no'] })).rejects.toMatchObject(refused);
  });
});
