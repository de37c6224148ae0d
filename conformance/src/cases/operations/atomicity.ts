import assert from 'node:assert/strict';
import { isMempoolError, type MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach, onPool } from '../../case/must.ts';
import {
  block,
  hashesOf,
  pendingOrder,
  receive,
  snapshot,
  stagesOf,
  transaction,
  transactions,
} from '../../scenario/pool.ts';
import { rejection } from '../../scenario/verb-call.ts';

const most = 1_000;

interface ListCall {
  readonly verb: string;
  readonly field: string;
  call(store: MempoolStore, hashes: readonly string[]): Promise<unknown>;
}

const listCalls: readonly ListCall[] = [
  { verb: 'markInflight', field: 'hashes', call: (store, hashes) => store.markInflight(hashes) },
  { verb: 'markAcknowledged', field: 'hashes', call: (store, hashes) => store.markAcknowledged(hashes) },
  { verb: 'release', field: 'hashes', call: (store, hashes) => store.release(hashes) },
  { verb: 'drop', field: 'hashes', call: (store, hashes) => store.drop(hashes, 'gone') },
  { verb: 'findInflight', field: 'hashes', call: (store, hashes) => store.findInflight(hashes) },
  { verb: 'checkStatus', field: 'hashes', call: (store, hashes) => store.checkStatus(hashes) },
  {
    verb: 'receive',
    field: 'transactions',
    call: (store, hashes) =>
      store.receive(hashes.map((hash) => ({ hash, payload: new Uint8Array(1), payloadType: 0 }))),
  },
];

/** What was received before, so that the refused call had something to change. */
function tooMany({ verb, field, call }: ListCall): ConformanceCase {
  const title = `${verb} refuses 1,001 in one call before anything is written`;
  return onPool(`X1/too-many-${verb}`, title, async (store, context) => {
    const known = hashesOf(await receive(context, store, 2));
    await store.markInflight(known.slice(1));
    const before = await snapshot(store);
    const others = Array.from({ length: most - 1 }, () => context.random.hex(32));
    const error = await rejection(call(store, [...known, ...others]));
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
    assert.deepEqual([error.details.field, await snapshot(store)], [field, before]);
  });
}

function empty({ verb, call }: ListCall): ConformanceCase {
  return onPool(`X1/empty-${verb}`, `${verb} of nothing is nothing`, async (store, context) => {
    await receive(context, store, 1);
    const before = await snapshot(store);
    assert.deepEqual([await call(store, []), await snapshot(store)], [[], before]);
  });
}

const onePool = eachOnPool({
  'X1/a-thousand: every verb takes 1,000 transactions in one call': async (store, context) => {
    const hashes = hashesOf(await receive(context, store, most));
    assert.deepEqual(await store.markInflight(hashes), hashes);
    assert.deepEqual(await store.markAcknowledged(hashes), hashes);
    assert.equal((await store.findInflight(hashes)).filter((found) => found !== null).length, most);
    assert.deepEqual(await store.release(hashes), hashes);
    assert.deepEqual(await store.drop(hashes, 'gone'), hashes);
    assert.deepEqual(new Set(await stagesOf(store, hashes)), new Set(['Dropped']));
  },
  'X1/one-bad-in-many: one bad transaction in a call and none of the call is received': async (store, context) => {
    const batch = transactions(context.random, 20);
    const before = await snapshot(store);
    const bad = { ...transaction(context.random), hash: 'not hex' };
    await rejection(store.receive([...batch.slice(0, 10), bad, ...batch.slice(10)]));
    assert.deepEqual(await snapshot(store), before);
  },
  'X1/long-seen: a block may name 20,000 hashes as seen': async (store, context) => {
    const known = hashesOf(await receive(context, store, 3));
    const foreign = Array.from({ length: 20_000 }, () => context.random.hex(32));
    const outcome = await block(store, 1, { seen: [...foreign, ...known] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 3);
    assert.deepEqual(await stagesOf(store, known), ['Confirmed', 'Confirmed', 'Confirmed']);
  },
  'X1/long-unseen: a block may name 20,000 hashes as unseen': async (store, context) => {
    const known = hashesOf(await receive(context, store, 3));
    await store.markInflight(known);
    const foreign = Array.from({ length: 20_000 }, () => context.random.hex(32));
    const outcome = await block(store, 1, { unseen: [...foreign, ...known] });
    assert.equal(outcome.kind === 'applied' && outcome.returned, 3);
    assert.deepEqual(await pendingOrder(store), known);
  },
  'X1/gap-is-whole: a block that is refused moves nothing of what it names': async (store, context) => {
    const [a, b] = hashesOf(await receive(context, store, 2)) as [string, string];
    await store.markInflight([b]);
    await block(store, 1);
    const before = await snapshot(store);
    await store.confirm({ point: { slot: 9, hash: 'ab'.repeat(32) }, parent: 'cd'.repeat(32), seen: [a], unseen: [b] });
    assert.deepEqual([await snapshot(store), await stagesOf(store, [a, b])], [before, ['Pending', 'Propagated']]);
  },
});

const ownPools = mustEach({
  'X1/reads-agree: after a call every read shows all of it': async (context) => {
    const store = await context.open({ finalizeThreshold: 1 });
    const hashes = hashesOf(await receive(context, store, 30));
    await store.markInflight(hashes.slice(10));
    await block(store, 1, { seen: hashes.slice(20) });
    const { pending, propagated, confirmed, logged } = await store.usage();
    const lists = [await store.peekPending(), await store.peekInflight(), (await store.dumpFinalized()).entries];
    assert.deepEqual(
      lists.map(({ length }) => length),
      [10, 10, 10],
    );
    assert.deepEqual([pending, propagated, confirmed, logged], [10, 10, 0, 10]);
  },
});

export const atomicityCases: readonly ConformanceCase[] = [
  ...listCalls.map(tooMany),
  ...listCalls.map(empty),
  ...onePool,
  ...ownPools,
];
