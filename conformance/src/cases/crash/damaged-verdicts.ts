import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { must } from '../../case/must.ts';
import { hashesOf, transaction } from '../../scenario/pool.ts';
import { refuses } from '../../scenario/verb-call.ts';
import { endsOf, lost, openScene } from './damage.ts';

const entry = must(
  'M2/damaged-entry',
  'a Pending transaction with a damaged verdict is reported and not handed out; the next write drops it',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const batch = [4n, 3n, 2n].map((priority) => ({ ...transaction(context.random), verdict: { priority } }));
    const [bad = '', second = '', third = ''] = hashesOf(batch);
    await before.pool.store.receive(batch);
    const { pool, warnings } = await before.damaged({ kind: 'entry', hash: bad });
    assert.deepEqual(hashesOf(await pool.store.reap()), [second, third]);
    assert.deepEqual(hashesOf((await pool.store.since()).items), [second, third]);
    assert.deepEqual(await pool.pending(), [second, third]);
    assert.deepEqual((await pool.store.peekParked()).transactions, []);
    assert.equal(warnings.filter((message) => message.includes(bad)).length, 1);
    assert.deepEqual(await endsOf(pool, bad), [['Pending', null]]);
    const [revised] = await pool.store.revise([{ hash: bad, version: 1, answer: { priority: 9n } }]);
    assert.equal(revised?.kind, 'skipped');
    assert.deepEqual(await endsOf(pool, bad), [lost]);
    const [again] = await pool.store.receive(batch.slice(0, 1));
    assert.equal(again?.kind, 'received');
    assert.deepEqual(hashesOf(await pool.store.reap()), [bad, second, third]);
  },
  ['durable', 'damage', 'priority'],
);

const entryInflight = must(
  'M2/damaged-entry-inflight',
  'a transaction in flight with a damaged verdict keeps its stage and follows the blocks; where it returns to Pending it is dropped',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    const batch = ['a', 'b'].map((tag) => ({
      ...transaction(context.random),
      verdict: { priority: 1n, sender: 'one', provides: [tag] },
    }));
    const [bad = '', released = ''] = hashesOf(batch);
    await before.pool.store.receive(batch);
    await before.pool.mark(bad, released);
    const once = await before.damaged({ kind: 'entry', hash: bad });
    const { pool } = await once.damaged({ kind: 'entry', hash: released });
    assert.deepEqual(await pool.stages(bad, released), ['Propagated', 'Propagated']);
    assert.equal((await pool.block(1, { seen: [bad] })).kind, 'applied');
    assert.deepEqual(await pool.stages(bad, released), ['Confirmed', 'Propagated']);
    assert.deepEqual(await pool.store.release([released]), [released]);
    assert.deepEqual(await endsOf(pool, bad, released), [['Confirmed', null], lost]);
    assert.equal((await pool.store.rollback('origin')).kind, 'rolled-back');
    assert.deepEqual(await endsOf(pool, bad), [lost]);
    assert.deepEqual(hashesOf(await pool.store.reap()), []);
  },
  ['durable', 'damage', 'priority'],
);

const limit = must(
  'M2/damaged-limit',
  'a pool whose limits are damaged answers nothing from them',
  async (context) => {
    const before = await openScene(context, { ordering: 'priority' });
    await before.pool.receive(1);
    const opened = before.damaged({ kind: 'limit' });
    await refuses(
      opened.then(({ pool }) => pool.receive(1)),
      'ERR_MEMPOOL_CORRUPT',
    );
    await refuses(
      opened.then(({ pool }) => pool.store.setLimits({})),
      'ERR_MEMPOOL_CORRUPT',
    );
  },
  ['durable', 'damage', 'priority'],
);

/** Cases of damage to records that only a priority pool keeps. */
export const verdictDamageCases: readonly ConformanceCase[] = [entry, entryInflight, limit];
