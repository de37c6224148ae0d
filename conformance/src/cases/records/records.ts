import assert from 'node:assert/strict';
import { isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { checkRecords } from '../../histories/record-history.ts';
import { onlyLease } from '../../scenario/fencing.ts';
import { expire, win } from '../../scenario/lease.ts';
import { openPool } from '../../scenario/on-pool.ts';
import {
  bytesOf,
  eachFencedRecord,
  eachOnRecords,
  everyRecord,
  stored,
  textsOf,
  timeless,
} from '../../scenario/records.ts';
import { refuses } from '../../scenario/verb-call.ts';

const mebibyte = 1024 * 1024;

async function textOf(store: TestedPool, name: string): Promise<readonly [number, string] | null> {
  const found = await store.getRecord(name);
  return found && [found.version, Buffer.from(found.value).toString()];
}

function refusesField(call: Promise<unknown>, field: string): Promise<void> {
  return refuses(call, 'ERR_MEMPOOL_INVALID', { field });
}

const versions = eachOnRecords({
  'K1/compare: a put with another version than the present one is a conflict and changes nothing': async (store) => {
    const first = await stored(store, 'a', 'one');
    const second = timeless(await store.putRecord('a', bytesOf('two'), { version: first }));
    assert.deepEqual(second, { kind: 'stored', version: 2 });
    for (const version of [0, first, 3])
      for (const value of [bytesOf('three'), null])
        assert.deepEqual(await store.putRecord('a', value, { version }), { kind: 'conflict', version: 2 });
    assert.deepEqual(await textOf(store, 'a'), [2, 'two']);
    assert.equal(await stored(store, 'b', 'x'), 3);
  },
  'K1/operation: a put repeated under its operation id gets its outcome and changes nothing': async (store) => {
    const put = { version: 0, operationId: 'the same' };
    const first = await store.putRecord('a', bytesOf('one'), put);
    const conflict = await store.putRecord('a', bytesOf('x'), { version: 0, operationId: 'another' });
    const deletion = await store.putRecord('a', null, { operationId: 'a third' });
    assert.deepEqual(
      [first, conflict, deletion].map(({ kind }) => kind),
      ['stored', 'conflict', 'stored'],
    );
    assert.deepEqual(await store.putRecord('a', bytesOf('one'), put), first);
    assert.equal(await store.getRecord('a'), null);
    await stored(store, 'a', 'two');
    assert.deepEqual(await store.putRecord('a', bytesOf('x'), { version: 0, operationId: 'another' }), conflict);
    assert.deepEqual(await store.putRecord('a', null, { operationId: 'a third' }), deletion);
    assert.equal((await textOf(store, 'a'))?.[1], 'two');
  },
  'K1/other-arguments: an operation id is refused with another name, value or version': async (store) => {
    const operationId = 'the same';
    await store.putRecord('a', bytesOf('x'), { version: 0, operationId });
    await refusesField(store.putRecord('b', bytesOf('x'), { version: 0, operationId }), 'operationId');
    await refusesField(store.putRecord('a', bytesOf('y'), { version: 0, operationId }), 'operationId');
    await refusesField(store.putRecord('a', null, { version: 0, operationId }), 'operationId');
    await refusesField(store.putRecord('a', bytesOf('x'), { operationId }), 'operationId');
    assert.deepEqual(textsOf(await store.listRecords('')), [['a', 1, 'x']]);
  },
  'K1/other-verb: the operation id of a put is not that of another verb, nor the other way round': async (
    store,
    pool,
  ) => {
    const [one] = await pool.receive(1);
    await store.putRecord('a', bytesOf('x'), { operationId: 'put' });
    await store.markInflight([one?.hash ?? ''], { operationId: 'mark' });
    await refusesField(store.markAcknowledged([one?.hash ?? ''], { operationId: 'put' }), 'operationId');
    await refusesField(store.putRecord('a', bytesOf('y'), { operationId: 'mark' }), 'operationId');
    assert.deepEqual([await textOf(store, 'a'), (await store.usage()).acknowledged], [[1, 'x'], 0]);
  },
  'K1/apart: a record makes no event and touches no transaction': async (store, pool) => {
    await pool.receive(2);
    const before = [await store.usage(), await store.peekPending(), await store.tip({ points: 9 })];
    await stored(store, 'a', 'x');
    await store.putRecord('a', null);
    await stored(store, 'b', 'x');
    assert.deepEqual([await store.usage(), await store.peekPending(), await store.tip({ points: 9 })], before);
    assert.deepEqual(await textOf(store, 'b'), [3, 'x']);
  },
  'K1/bytes: bytes handed in and handed out belong to the caller': async (store) => {
    const given = bytesOf('one');
    const putting = store.putRecord('a', given);
    given.fill(0);
    await putting;
    const [read, listed] = [await store.getRecord('a'), (await store.listRecords('')).records[0]];
    assert.deepEqual([read?.value, listed?.value], [bytesOf('one'), bytesOf('one')]);
    read?.value.fill(0);
    listed?.value.fill(0);
    assert.deepEqual(await textOf(store, 'a'), [1, 'one']);
  },
});

const durable = needing('durable', 'records');

const reopened = mustEach({
  'K1/reopened: records and the counter of versions survive reopening': async (context) => {
    const first = await openPool(context);
    await stored(first.store, 'a', 'one');
    await stored(first.store, 'b', 'two');
    await first.store.putRecord('b', null);
    await first.store.close();
    const pool = await openPool(context);
    assert.deepEqual(textsOf(await pool.store.listRecords('')), [['a', 1, 'one']]);
    const version = await stored(pool.store, 'c', 'three');
    assert.ok(version > 2);
    assert.deepEqual(timeless(await pool.store.putRecord('a', bytesOf('four'), { version: 1 })), {
      kind: 'stored',
      version: version + 1,
    });
  },
}).map(durable);

const shared = mustEach({
  'K1/nodes: a record that one node stored is read by every node': async (context) => {
    const [one, other] = [await openPool(context), await openPool(context)];
    await other.receive(1);
    const version = await stored(one.store, 'a', 'x');
    assert.deepEqual(await textOf(other.store, 'a'), [version, 'x']);
    assert.deepEqual(timeless(await other.store.putRecord('a', bytesOf('y'), { version })), {
      kind: 'stored',
      version: version + 1,
    });
    assert.deepEqual(await one.store.putRecord('a', bytesOf('z'), { version }), {
      kind: 'conflict',
      version: version + 1,
    });
  },
  'K1/racing: of two nodes that put under the same version, exactly one succeeds': async (context) => {
    const nodes = [await context.open(), await context.open()];
    let version = 0;
    for (let round = 0; round < 10; round++) {
      const racing = nodes.map((node, i) => node.putRecord('a', bytesOf(`${i}`), { version }));
      const outcomes = await Promise.all(racing);
      const won = outcomes.filter(({ kind }) => kind === 'stored');
      const next = won[0]?.kind === 'stored' ? won[0].version : 0;
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['conflict', 'stored']);
      assert.deepEqual(
        outcomes.find(({ kind }) => kind === 'conflict'),
        { kind: 'conflict', version: next },
      );
      version = next;
    }
  },
}).map(needing('shared', 'records'));

const fenced = eachFencedRecord({
  'K2/live: under the live lease a put is stored': async (context) => {
    const [pool, leases] = [await openPool(context), await context.leases()];
    const lease = onlyLease(await win(context, leases));
    assert.deepEqual(timeless(await pool.store.putRecord('a', bytesOf('x'), { lease })), {
      kind: 'stored',
      version: 1,
    });
    assert.deepEqual(timeless(await pool.store.putRecord('a', null, { lease, version: 1 })), {
      kind: 'stored',
      version: 0,
    });
  },
  'K2/fenced: under any other lease a put is fenced, and changes nothing': async (context) => {
    const [pool, leases] = [await openPool(context), await context.leases()];
    await stored(pool.store, 'a', 'x');
    const fences = async (lease: ReturnType<typeof onlyLease>): Promise<void> => {
      for (const version of [undefined, 1, 7])
        assert.deepEqual(await pool.store.putRecord('a', bytesOf('y'), { lease, version }), { kind: 'fenced' });
      assert.deepEqual(await textOf(pool.store, 'a'), [1, 'x']);
    };
    const held = await win(context, leases);
    const lease = onlyLease(held);
    await fences({ ...lease, term: lease.term + 1 });
    await fences({ ...lease, nodeId: 'node-x' });
    await expire(leases, held);
    await fences(lease);
    await win(context, leases);
    await fences(lease);
    assert.equal(await stored(pool.store, 'b', 'x'), 2);
  },
  'K2/without-lease: without a lease a put is never fenced': async (context) => {
    const [pool, leases] = [await openPool(context, { fenced: true }), await context.leases()];
    assert.equal(await stored(pool.store, 'a', 'x'), 1);
    await win(context, leases);
    assert.equal(await stored(pool.store, 'a', 'y'), 2);
  },
  'K2/not-recorded: a fenced put is not recorded; a recorded one is answered, whoever leads': async (context) => {
    const [pool, leases] = [await openPool(context), await context.leases()];
    const held = await win(context, leases);
    const lease = onlyLease(held);
    const put = (by: typeof lease) => pool.store.putRecord('a', bytesOf('x'), { lease: by, operationId: 'the same' });
    assert.deepEqual(await put({ ...lease, nodeId: 'node-x' }), { kind: 'fenced' });
    assert.deepEqual(timeless(await put(lease)), { kind: 'stored', version: 1 });
    await leases.release(held);
    assert.deepEqual(timeless(await put(lease)), { kind: 'stored', version: 1 });
    assert.deepEqual(await textOf(pool.store, 'a'), [1, 'x']);
  },
});

const limits = eachOnRecords({
  'K3/value: a value may have 1 MiB, and a name 256 characters; more is refused': async (store) => {
    const longest = '～'.repeat(256);
    assert.deepEqual(timeless(await store.putRecord(longest, new Uint8Array(mebibyte).fill(7))), {
      kind: 'stored',
      version: 1,
    });
    const found = await store.getRecord(longest);
    assert.deepEqual([found?.value.length, found?.value.at(-1)], [mebibyte, 7]);
    await refusesField(store.putRecord('a', new Uint8Array(mebibyte + 1)), 'value');
    await refusesField(store.putRecord(`${longest}a`, bytesOf('x')), 'name');
    assert.equal((await store.listRecords('')).records.length, 1);
  },
  'K3/input: a wrong argument is refused by its name, and nothing is stored': async (store) => {
    const value = bytesOf('x');
    await refusesField(store.putRecord('', value), 'name');
    await refusesField(store.putRecord('\ud800', value), 'name');
    await refusesField(store.putRecord('a', 'x' as never), 'value');
    for (const version of [-1, 0.5, Number.NaN])
      await refusesField(store.putRecord('a', value, { version }), 'version');
    await refusesField(store.putRecord('a', value, { lease: null as never }), 'lease');
    await refusesField(store.getRecord(7 as never), 'name');
    await refusesField(store.listRecords('\udc00'), 'prefix');
    await refusesField(store.listRecords('', { after: 7 as never }), 'after');
    assert.deepEqual((await store.listRecords('')).records, []);
  },
});

/** Values of 1 MiB until the pool has no room for another. */
async function fillRecords(store: TestedPool): Promise<number> {
  const value = new Uint8Array(mebibyte);
  for (let count = 0; ; count++) {
    const outcome = await store.putRecord(`${count}`, value, { version: 0 });
    if (outcome.kind === 'full') return count;
    assert.ok(outcome.kind === 'stored' && count < 64, `${count} records of 1 MiB are ${outcome.kind}`);
  }
}

const full = eachOnRecords({
  'K3/full: a pool takes 64 MiB of names and values; a put that does not grow works when it is full': async (store) => {
    assert.equal(await fillRecords(store), 63);
    const most = new Uint8Array(mebibyte - 200);
    assert.equal((await store.putRecord('more', most)).kind, 'stored');
    assert.deepEqual(await store.putRecord('last', most), { kind: 'full' });
    assert.deepEqual(await store.putRecord('last', most, { operationId: 'full' }), { kind: 'full' });
    assert.deepEqual(await store.putRecord('last', most, { version: 3 }), { kind: 'conflict', version: 0 });
    assert.equal(await store.getRecord('last'), null);
    assert.equal((await store.putRecord('0', new Uint8Array(mebibyte).fill(1))).kind, 'stored');
    assert.equal((await store.putRecord('1', bytesOf('short'))).kind, 'stored');
    assert.equal((await store.putRecord('last', most)).kind, 'stored');
    assert.deepEqual(await store.putRecord('full', most), { kind: 'full' });
    assert.equal((await store.putRecord('2', null)).kind, 'stored');
    assert.equal((await store.putRecord('full', most)).kind, 'stored');
    assert.deepEqual(await store.putRecord('last', most, { operationId: 'full' }), { kind: 'full' });
  },
});

const listing = eachOnRecords({
  'K4/order: records are listed in the order of the UTF-8 bytes of their names': async (store) => {
    const names = ['😀', 'b', '～', 'a/', 'ü', 'a', 'B', '\u0000', 'ab', 'a\u0000'];
    for (const name of names) await stored(store, name, name);
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const { records, next } = await store.listRecords('');
    assert.deepEqual([records.map(({ name }) => name), next], [sorted, '😀']);
    assert.deepEqual(
      (await everyRecord(store, '', 3)).map(({ name }) => name),
      sorted,
    );
  },
  'K4/prefix: a list has the names that begin with its prefix, each with version and value': async (store) => {
    for (const name of ['a', 'ab', 'a/1', 'a/2', 'A/1', 'b', 'a/～', 'a/😀']) await stored(store, name, `of ${name}`);
    const { records } = await store.listRecords('a/');
    const told = records.map(({ name, version, value }) => [name, version, Buffer.from(value).toString()]);
    assert.deepEqual(told, [
      ['a/1', 3, 'of a/1'],
      ['a/2', 4, 'of a/2'],
      ['a/～', 7, 'of a/～'],
      ['a/😀', 8, 'of a/😀'],
    ]);
    assert.deepEqual(await store.listRecords('c', { after: 'a' }), { records: [], next: 'a' });
  },
  'K4/after: a page begins behind the name given, whether it exists or not': async (store) => {
    for (const name of ['a', 'c', 'e/1', 'e/2']) await stored(store, name, 'x');
    const names = async (prefix: string, after: string, limit?: number): Promise<string[]> =>
      (await store.listRecords(prefix, { after, limit })).records.map(({ name }) => name);
    assert.deepEqual(await names('', 'a'), ['c', 'e/1', 'e/2']);
    assert.deepEqual(await names('', 'b', 1), ['c']);
    assert.deepEqual(await names('e/', 'a'), ['e/1', 'e/2']);
    assert.deepEqual(await names('e/', 'e/'), ['e/1', 'e/2']);
    assert.deepEqual(await names('e/', 'e/1'), ['e/2']);
    assert.deepEqual(await names('a', 'b'), []);
    assert.deepEqual(await names('', 'f'), []);
  },
  'K4/page: a page ends at 8 MiB of values, and all pages have everything': async (store) => {
    for (let i = 0; i < 10; i++) await store.putRecord(`${i}`, new Uint8Array(mebibyte - 1));
    const { records, next } = await store.listRecords('');
    assert.deepEqual([records.length, next], [8, '7']);
    assert.equal((await everyRecord(store, '', 1_000)).length, 10);
  },
});

const damaged = mustEach({
  'K4/damaged: a damaged record is an error that names it, and stops no other': async (context) => {
    const before = await openPool(context);
    for (const name of ['a', 'b', 'c']) await stored(before.store, name, 'long enough');
    await before.store.close();
    await context.damage({ kind: 'record', name: 'b' });
    const pool = await openPool(context);
    for (const read of [pool.store.getRecord('b'), pool.store.listRecords('')])
      await assert.rejects(read, (error) => {
        assert.ok(isMempoolError(error, 'ERR_MEMPOOL_CORRUPT') && error.details.name === 'b');
        return true;
      });
    assert.deepEqual(textsOf(await pool.store.listRecords('', { limit: 1 })), [['a', 1, 'long enough']]);
    assert.deepEqual(textsOf(await pool.store.listRecords('', { after: 'b' })), [['c', 3, 'long enough']]);
    assert.equal(await stored(pool.store, 'b', 'new'), 4);
    assert.equal((await pool.store.listRecords('')).records.length, 3);
    assert.deepEqual(await textOf(pool.store, 'b'), [4, 'new']);
  },
  'K4/damaged-deleted: a damaged record can be deleted': async (context) => {
    const before = await openPool(context);
    await stored(before.store, 'a', 'long enough');
    await before.store.close();
    await context.damage({ kind: 'record', name: 'a' });
    const pool = await openPool(context);
    assert.deepEqual(timeless(await pool.store.putRecord('a', null)), { kind: 'stored', version: 0 });
    assert.equal(await pool.store.getRecord('a'), null);
  },
}).map(needing('durable', 'damage', 'records'));

const chance = mustEach({
  'K4/chance: after any puts, repeats and deletions, all is as in a model': (context) =>
    checkRecords(context, 120 * context.effort),
}).map(needing('records'));

/** K1–K4, on pools of both orderings. */
export const recordCases: readonly ConformanceCase[] = [
  ...versions,
  ...reopened,
  ...shared,
  ...fenced,
  ...limits,
  ...listing,
  ...damaged,
  ...chance,
];

/** Too large to run twice. */
export const fullRecordCases: readonly ConformanceCase[] = full;
