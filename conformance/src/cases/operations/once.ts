import assert from 'node:assert/strict';
import { isMempoolError, type Transaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow, mustEach } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, point, readable } from '../../scenario/pool.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

/** An object whose fields have another value at the second read. */
function fickle<T extends object>(first: T, later: Partial<T>): T {
  const asked = new Set<string | symbol>();
  return new Proxy(first, {
    get(target, name) {
      const again = asked.has(name) && name in later;
      asked.add(name);
      return Reflect.get(again ? later : target, name);
    },
  });
}

/** A list whose elements and length are different at the second read. */
function fickleList<T>(first: readonly T[], later: readonly T[]): readonly T[] {
  return fickle([...first], Object.fromEntries([...later.entries(), ['length', later.length]]));
}

/** A payload that reports a wrong length. */
class Lying extends Uint8Array {
  static said = 0;

  override get length(): number {
    return Lying.said;
  }

  override get byteLength(): number {
    return Lying.said;
  }
}

/** A list far longer than a call may have, and a count of the elements that were read. */
function longList(): { readonly list: never[]; read(): number } {
  let read = 0;
  const list = new Proxy(new Array<never>(50_000), {
    get(target, name) {
      if (name !== 'length') read += 1;
      return Reflect.get(target, name);
    },
  });
  return { list, read: () => read };
}

const longLists: readonly (readonly [string, string, (store: TestedPool, list: never[]) => Promise<unknown>])[] = [
  ['receive', 'transactions', (store, list) => store.receive(list)],
  ['markInflight', 'hashes', (store, list) => store.markInflight(list)],
  ['drop', 'hashes', (store, list) => store.drop(list, 'failed')],
  ['status', 'hashes', (store, list) => store.status(list)],
  ['findInflight', 'hashes', (store, list) => store.findInflight(list)],
];

const onePool = eachOnPool({
  'M1/given-away: a payload whose buffer was transferred is refused before any write': async (pool, store) => {
    const [good, bad] = [pool.transaction(), pool.transaction()];
    const payload = new Uint8Array(64);
    structuredClone(payload.buffer, { transfer: [payload.buffer] });
    await pool.unchanged(() =>
      refuses(store.receive([good, { ...bad, payload }]), 'ERR_MEMPOOL_INVALID', { field: 'transactions[1].payload' }),
    );
    assert.equal((await store.receive([good]))[0]?.kind, 'received');
  },
  'M1/batch-read-once: a list of transactions is read once': async (pool, store) => {
    const [one, other] = [pool.transaction(), pool.transaction()];
    await store.receive(fickleList([one], [{ ...other, hash: 'XY' }, other]));
    assert.deepEqual(await pool.pending(), [one.hash]);
  },
  'M1/lists-read-once: lists of hashes and points are read once': async (pool, store) => {
    const [a, b] = await pool.receiveHashes(2);
    assert.deepEqual(await store.markInflight(fickleList([a], ['../..', b])), [a]);
    const at = fickle(point(1), { slot: -7, hash: 'none' });
    await store.confirm(fickle({ point: at, seen: fickleList([b], [a, '']), unseen: [] }, { seen: [a] }));
    assert.deepEqual(await pool.stages(a, b), ['Propagated', 'Confirmed']);
    assert.deepEqual((await store.tip()).point, point(1));
  },
  'M1/options-read-once: options are read once': async (pool, store) => {
    const one = pool.transaction();
    const operationId = 'operation-1';
    const first = await store.receive([one], fickle({ operationId }, { operationId: 'an id with a \n line end' }));
    assert.deepEqual(await store.receive([one], { operationId }), first);
  },
  'M1/length-that-lies: the bytes of a payload count, not the length that it reports': async (pool, store) => {
    const batch = [1, 2, 3, 4].map(() => pool.transaction(64));
    const given = batch.map((one, i) => (i === 1 || i === 2 ? { ...one, payload: new Lying(one.payload) } : one));
    for (const said of [0, 3, 70, 2 ** 40]) {
      Lying.said = said;
      await store.receive(given);
      assert.deepEqual(
        (await store.peekPending()).transactions.map(readable),
        (await store.peekPending()).transactions.map((stored, i) => ({
          ...readable(stored),
          payload: readable(batch[i] as Transaction).payload,
        })),
      );
      await pool.drop(...hashesOf(batch));
    }
  },
  'M2/long-lists: a list that is too long is refused by its length, before it is read': async ({ store }) => {
    for (const [verb, field, call] of longLists) {
      const { list, read } = longList();
      const error = await rejection(call(store, list));
      assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'), verb);
      assert.deepEqual([error.details.field, read()], [field, 0], verb);
    }
  },
});

const ownPools = mustEach({
  'M1/read-once: a transaction is read once: later values of its fields do not count': async (context) => {
    const pool = await openPool(context, { maxTxBytes: 100 });
    const one = pool.transaction();
    const later = { hash: '../..', payload: new Uint8Array(5_000), payloadType: -1 };
    await pool.store.receive([fickle<Transaction>(one, later)]);
    const [stored] = (await pool.store.peekPending()).transactions;
    assert.deepEqual(stored && readable(stored), { ...stored, ...readable(one) });
  },
  'M1/own-length-that-lies: a length field on the payload object does not count either': async (context) => {
    const pool = await openPool(context, { maxTxBytes: 64 });
    const one = pool.transaction(64);
    const large = pool.transaction(65);
    Object.defineProperty(one.payload, 'length', { value: 3 });
    Object.defineProperty(large.payload, 'length', { value: 3 });
    const outcomes = await pool.store.receive([one, large]);
    const [stored] = (await pool.store.peekPending()).transactions;
    assert.deepEqual([kindsOf(outcomes), stored?.payload.length], [['received', 'too-large'], 64]);
  },
});

/** Cases of M1 and M2: every argument is read once. */
export const onceCases: readonly ConformanceCase[] = [...onePool, ...ownPools];

const most = 1_000;

interface ListCall {
  readonly verb: string;
  readonly field: string;
  call(store: TestedPool, hashes: readonly string[]): Promise<unknown>;
}

const listCalls: readonly ListCall[] = [
  { verb: 'markInflight', field: 'hashes', call: (store, hashes) => store.markInflight(hashes) },
  { verb: 'markAcknowledged', field: 'hashes', call: (store, hashes) => store.markAcknowledged(hashes) },
  { verb: 'release', field: 'hashes', call: (store, hashes) => store.release(hashes) },
  { verb: 'drop', field: 'hashes', call: (store, hashes) => store.drop(hashes, 'failed') },
  { verb: 'findInflight', field: 'hashes', call: (store, hashes) => store.findInflight(hashes) },
  { verb: 'status', field: 'hashes', call: (store, hashes) => store.status(hashes) },
  {
    verb: 'receive',
    field: 'transactions',
    call: (store, hashes) =>
      store.receive(hashes.map((hash) => ({ hash, payload: new Uint8Array(1), payloadType: 0 }))),
  },
];

const atomicityOnePool = eachOnPool({
  'X1/too-many: every verb refuses 1,001 in one call before anything is written': async (pool, store) => {
    const known = await pool.receiveHashes(2);
    await pool.mark(...known.slice(1));
    const others = Array.from({ length: most - 1 }, () => pool.random.hex(32));
    await eachRow(
      listCalls,
      ({ verb }) => verb,
      ({ field, call }) =>
        pool.unchanged(() => refuses(call(store, [...known, ...others]), 'ERR_MEMPOOL_INVALID', { field })),
    );
  },
  'X1/empty: every verb answers nothing with nothing': async (pool, store) => {
    await pool.receive(1);
    await eachRow(
      listCalls,
      ({ verb }) => verb,
      ({ call }) => pool.unchanged(async () => assert.deepEqual(await call(store, []), [])),
    );
  },
  'X1/a-thousand: every verb takes 1,000 transactions in one call': async (pool, store) => {
    const hashes = hashesOf(await pool.receive(most));
    assert.deepEqual(await pool.mark(...hashes), hashes);
    assert.deepEqual(await pool.acknowledge(...hashes), hashes);
    assert.equal((await store.findInflight(hashes)).filter((found) => found !== null).length, most);
    assert.deepEqual(await pool.release(...hashes), hashes);
    assert.deepEqual(await pool.drop(...hashes), hashes);
    assert.deepEqual(new Set(await pool.stages(...hashes)), new Set(['Dropped']));
  },
  'X1/one-bad-in-many: if one transaction of a call is bad, none of the call is received': async (pool, store) => {
    const batch = pool.transactions(20);
    const before = await pool.snapshot();
    const bad = { ...pool.transaction(), hash: 'not hex' };
    await rejection(store.receive([...batch.slice(0, 10), bad, ...batch.slice(10)]));
    assert.deepEqual(await pool.snapshot(), before);
  },
  'X1/long-seen: a block may name 20,000 hashes as seen': async (pool) => {
    const known = await pool.receiveHashes(3);
    const foreign = Array.from({ length: 20_000 }, () => pool.random.hex(32));
    const outcome = await pool.block(1, { seen: [...foreign, ...known] });
    assert.equal(outcome.kind === 'applied' && outcome.confirmed, 3);
    assert.deepEqual(await pool.stages(...known), ['Confirmed', 'Confirmed', 'Confirmed']);
  },
  'X1/long-unseen: a block may name 20,000 hashes as unseen': async (pool) => {
    const known = await pool.receiveHashes(3);
    await pool.mark(...known);
    const foreign = Array.from({ length: 20_000 }, () => pool.random.hex(32));
    const outcome = await pool.block(1, { unseen: [...foreign, ...known] });
    assert.equal(outcome.kind === 'applied' && outcome.returned, 3);
    assert.deepEqual(await pool.pending(), known);
  },
});

export const atomicityCases: readonly ConformanceCase[] = [...atomicityOnePool];
