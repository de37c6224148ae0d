import assert from 'node:assert/strict';
import type { PutOutcome } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { openTimed, startMs } from '../../scenario/on-pool.ts';
import { bytesOf } from '../../scenario/records.ts';

async function timeOf(put: Promise<PutOutcome>): Promise<number> {
  const outcome = await put;
  assert.ok(outcome.kind === 'stored', `not stored: ${outcome.kind}`);
  return outcome.at;
}

const whileOpen = mustEach({
  'E5/record: a put answers the pool’s time, and no later call has an earlier one': async (context) => {
    const pool = await openTimed(context);
    await pool.receiveOne();
    pool.clock.nowMs += 700;
    assert.equal(await timeOf(pool.store.putRecord('a', bytesOf('x'))), startMs + 700);
    pool.clock.nowMs -= 600;
    const hash = await pool.receiveOne();
    assert.equal((await pool.status(hash)).receivedAt, startMs + 700);
    assert.equal(await timeOf(pool.store.putRecord('b', bytesOf('x'))), startMs + 700);
  },
}).map(needing('records'));

const reopened = mustEach({
  'E5/record-reopened: the time of a put survives reopening': async (context) => {
    const before = await openTimed(context);
    await before.store.putRecord('a', bytesOf('x'));
    await before.store.close();
    before.clock.nowMs -= 600;
    const pool = await before.another();
    const hash = await pool.receiveOne();
    assert.equal((await pool.status(hash)).receivedAt, startMs);
  },
}).map(needing('durable', 'records'));

/** E5 of records: a put tells the pool's time and keeps it. */
export const recordTimeCases: readonly ConformanceCase[] = [...whileOpen, ...reopened];
