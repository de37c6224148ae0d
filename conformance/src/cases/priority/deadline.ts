import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isMempoolError, type OpenOptions, type ReceiveOutcome } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustEach, needing } from '../../case/must.ts';
import { openOther, openPool, openTimed, startMs, type TimedPool } from '../../scenario/on-pool.ts';
import { kindsOf, type Pool } from '../../scenario/pool.ts';

const never = Number.POSITIVE_INFINITY;
const untilMs = startMs + 5_000;

/** A pool that closes at `untilMs`, with a clock that only the case moves. */
function openWindow(context: CaseContext, options: OpenOptions = {}): Promise<TimedPool> {
  return openTimed(context, { acceptUntil: untilMs, ...options });
}

async function kindOf(pool: Pool): Promise<ReceiveOutcome['kind'] | undefined> {
  return (await pool.store.receive([pool.transaction()]))[0]?.kind;
}

const windows = eachFifo({
  'P27/closed: from acceptUntil on a newcomer is closed, and nothing changes': async (context) => {
    const pool = await openWindow(context);
    pool.clock.nowMs = untilMs - 1;
    assert.equal(await kindOf(pool), 'received');
    const before = await pool.snapshot();
    const late = pool.transactions(2);
    for (const nowMs of [untilMs, untilMs + 1, untilMs + 86_400_000]) {
      pool.clock.nowMs = nowMs;
      const events = await pool.eventsOf(async () => {
        assert.deepEqual(
          await pool.store.receive(late),
          late.map(({ hash }) => ({ kind: 'closed', hash })),
        );
      });
      assert.deepEqual([events, await pool.snapshot()], [[], before]);
    }
  },
  'P27/duplicates: what a closed pool has is a duplicate still, beside newcomers that are closed': async (context) => {
    const pool = await openWindow(context);
    const [waiting, flying, final] = await pool.receive(3);
    assert.ok(waiting && flying && final);
    await pool.mark(flying.hash);
    await pool.block(1, { seen: [final.hash] }, { finalizeThreshold: 1 });
    pool.clock.nowMs = untilMs;
    const late = pool.transaction();
    const outcomes = await pool.store.receive([late, waiting, flying, final, late]);
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.kind, outcome.hash, 'stage' in outcome ? outcome.stage : null]),
      [
        ['closed', late.hash, null],
        ['duplicate', waiting.hash, 'Pending'],
        ['duplicate', flying.hash, 'Propagated'],
        ['duplicate', final.hash, 'Finalized'],
        ['closed', late.hash, null],
      ],
    );
  },
  'P27/new-life: a closed pool begins no new life of what it dropped': async (context) => {
    const pool = await openWindow(context);
    const [one] = await pool.receive(1);
    assert.ok(one);
    await pool.drop(one.hash);
    pool.clock.nowMs = untilMs;
    assert.deepEqual(await pool.store.receive([one]), [{ kind: 'closed', hash: one.hash }]);
    assert.deepEqual(await pool.stages(one.hash), ['Dropped']);
  },
  'P27/carried: what a block carried is closed too, if it comes too late': async (context) => {
    const pool = await openWindow(context);
    const one = pool.transaction();
    await pool.block(1, { seen: [one.hash] });
    pool.clock.nowMs = untilMs;
    assert.deepEqual(await pool.store.receive([one]), [{ kind: 'closed', hash: one.hash }]);
  },
  'P27/before-full: closed comes before full': async (context) => {
    const pool = await openWindow(context, { maxTxs: 0 });
    assert.equal(await kindOf(pool), 'full');
    pool.clock.nowMs = untilMs;
    assert.equal(await kindOf(pool), 'closed');
  },
  'P27/recorded: closed is recorded, and answered to a repeat after the pool was opened again': async (context) => {
    const pool = await openWindow(context);
    const [known] = await pool.receive(1);
    assert.ok(known);
    pool.clock.nowMs = untilMs;
    const batch = [known, pool.transaction()];
    const first = await pool.store.receive(batch, { operationId: 'too late' });
    await pool.store.setLimits({ acceptUntil: never });
    assert.deepEqual(await pool.store.receive(batch, { operationId: 'too late' }), first);
    assert.deepEqual(kindsOf(first), ['duplicate', 'closed']);
    assert.deepEqual(kindsOf(await pool.store.receive(batch)), ['duplicate', 'received']);
  },
  'P27/set: setLimits closes at once, opens again, and keeps what it does not name': async (context) => {
    const pool = await openWindow(context, { acceptUntil: never, maxTxs: 9 });
    assert.equal((await pool.store.setLimits({})).acceptUntil, never);
    const closed = await pool.store.setLimits({ acceptUntil: pool.clock.nowMs });
    assert.deepEqual([closed.acceptUntil, closed.maxTxs], [pool.clock.nowMs, 9]);
    assert.equal(await kindOf(pool), 'closed');
    assert.equal((await pool.store.setLimits({ acceptUntil: pool.clock.nowMs + 1 })).acceptUntil, pool.clock.nowMs + 1);
    assert.equal(await kindOf(pool), 'received');
    pool.clock.nowMs += 1;
    assert.equal((await pool.store.setLimits({ maxTxs: 8 })).acceptUntil, pool.clock.nowMs);
    assert.equal(await kindOf(pool), 'closed');
  },
  'P27/opened-again: setLimits may take the time away, and a closed pool accepts for ever': async (context) => {
    const pool = await openWindow(context);
    pool.clock.nowMs = untilMs + 1;
    assert.equal(await kindOf(pool), 'closed');
    assert.equal((await pool.store.setLimits({ acceptUntil: never })).acceptUntil, never);
    assert.equal(await kindOf(pool), 'received');
  },
  'P27/set-repeated: setLimits under a known id sets no time': async (context) => {
    const pool = await openWindow(context);
    const first = await pool.store.setLimits({ acceptUntil: 7 }, { operationId: 'close' });
    assert.equal(first.acceptUntil, 7);
    await pool.store.setLimits({ acceptUntil: untilMs });
    assert.deepEqual(await pool.store.setLimits({ acceptUntil: 7 }, { operationId: 'close' }), first);
    assert.equal(await kindOf(pool), 'received');
    await assert.rejects(
      pool.store.setLimits({ acceptUntil: 8 }, { operationId: 'close' }),
      (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === 'operationId',
    );
  },
  'P27/own-clock: without the option now a clock of this time closes the pool': async (context) => {
    const pool = await openPool(context, { acceptUntil: 1 });
    assert.equal(await kindOf(pool), 'closed');
    await pool.store.setLimits({ acceptUntil: 4_000_000_000_000 });
    assert.equal(await kindOf(pool), 'received');
    await pool.store.setLimits({ acceptUntil: 0 });
    assert.equal(await kindOf(pool), 'closed');
  },
});

/** Far more than the pool has to be open. */
const patienceMs = 2_000;

/** One after the other until one is closed out. Others have their turn between: a store in memory never waits. */
async function floods(pool: Pool): Promise<void> {
  const end = performance.now() + patienceMs;
  while ((await kindOf(pool)) === 'received') {
    assert.ok(performance.now() < end, 'it never closed');
    await setImmediate();
  }
}

const racing = eachFifo({
  'P27/racing: what comes in while the pool closes was received before its time, as its event tells': async (
    context,
  ) => {
    const pool = await openPool(context);
    for (let round = 0; round < 4; round++) {
      const { lastEventSeq } = await pool.store.usage();
      await pool.store.setLimits({ acceptUntil: never });
      await pool.receive(1);
      const [first] = await pool.events(lastEventSeq);
      const acceptUntil = (first?.at ?? 0) + 60;
      await pool.store.setLimits({ acceptUntil });
      await Promise.all([floods(pool), floods(pool), floods(pool)]);
      const events = await pool.events(lastEventSeq);
      // Of thousands, the first tells as much, and a comparison of all takes gigabytes.
      assert.deepEqual(events.find(({ at }) => (at ?? 0) >= acceptUntil) ?? null, null);
    }
  },
});

const shared = eachFifo({
  'P27/nodes: the time that one node sets closes the pool for all of them': async (context) => {
    const pool = await openWindow(context);
    const other = await pool.another();
    assert.equal(await kindOf(other), 'received');
    pool.clock.nowMs = untilMs;
    assert.deepEqual([await kindOf(other), await kindOf(pool)], ['closed', 'closed']);
    await other.store.setLimits({ acceptUntil: never });
    assert.equal(await kindOf(pool), 'received');
    await pool.another({ acceptUntil: untilMs });
    assert.deepEqual([await kindOf(other), await kindOf(pool)], ['closed', 'closed']);
  },
}).map(needing('shared'));

const durable = eachFifo({
  'P27/reopened: the time outlives who opened the pool': async (context) => {
    const pool = await openWindow(context);
    await pool.store.close();
    pool.clock.nowMs = untilMs;
    const reopened = await pool.another();
    assert.equal((await reopened.store.setLimits({})).acceptUntil, untilMs);
    assert.equal(await kindOf(reopened), 'closed');
  },
}).map(needing('durable'));

const imported = eachFifo({
  'P27/imported: an imported pool closes when the other one does': async (context) => {
    const pool = await openWindow(context);
    await pool.receive(1);
    const { ordering } = pool.store;
    const copy = await openOther(context, { ordering, now: () => pool.clock.nowMs });
    assert.equal((await copy.store.import(pool.store.export())).kind, 'imported');
    assert.deepEqual((await poolState(copy.store)).content, (await poolState(pool.store)).content);
    assert.equal((await copy.store.setLimits({})).acceptUntil, untilMs);
    assert.equal(await kindOf(copy), 'received');
    pool.clock.nowMs = untilMs;
    assert.equal(await kindOf(copy), 'closed');
  },
}).map(needing('import'));

function unlessUnsupported(error: unknown): null {
  if (!isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED')) throw error;
  return null;
}

const anywhere = mustEach({
  'P27/kept: acceptUntil is kept or refused as unsupported, never accepted and forgotten': async (context) => {
    const other = await openOther(context, { acceptUntil: 0 }).catch(unlessUnsupported);
    const later = await openPool(context);
    const closed = await later.store.setLimits({ acceptUntil: 0 }).then(() => later, unlessUnsupported);
    for (const one of [other, closed]) if (one !== null) assert.equal(await kindOf(one), 'closed');
  },
});

export const deadlineCases: readonly ConformanceCase[] = [
  ...windows,
  ...racing,
  ...shared,
  ...durable,
  ...imported,
  ...anywhere,
];
