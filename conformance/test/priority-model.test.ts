import { expect, test } from 'vitest';
import { historyLimits } from '../src/histories/pool/limits.ts';
import type { Limits, Submission, Verdict } from '../src/model/priority/entry.ts';
import { PoolModel } from '../src/model/priority/model.ts';

const wide: Partial<Limits> = { maxTxs: 100, maxBytes: 10_000, maxParked: 100, maxAncestors: 100, maxDescendants: 100 };

function makeModel(limits: Partial<Limits> = {}): PoolModel {
  const thresholds = { finalizeThreshold: 2, dropThreshold: 2, maxFinalized: 10, maxRollback: 5 };
  return new PoolModel({ ...thresholds, limits: { ...historyLimits, ...wide, ...limits }, now: () => 1_000 });
}

function submission(hash: string, verdict: Verdict, bytes = 10): Submission {
  return { hash, payload: new Uint8Array(bytes), payloadType: 0, verdict };
}

function receive(model: PoolModel, hash: string, verdict: Verdict, bytes?: number) {
  return model.receive([submission(hash, verdict, bytes)])[0];
}

function order(model: PoolModel): readonly string[] {
  return model.reader().dump().order;
}

function place(model: PoolModel, hash: string) {
  return model
    .reader()
    .dump()
    .entries.find((entry) => entry.hash === hash)?.place;
}

function point(n: number) {
  return { slot: n, hash: n.toString(16).padStart(64, '0') };
}

test('a place follows from the own priority and the parents, line by line', () => {
  const model = makeModel();
  receive(model, 'aa', { priority: 10n, provides: ['a'] });
  receive(model, 'bb', { priority: 3n, requires: ['a'] });
  receive(model, 'cc', { priority: 10n, requires: ['a'], provides: ['c'] });
  receive(model, 'dd', { priority: 20n, requires: ['a'] });
  receive(model, 'ee', { priority: 15n, provides: ['e'] });
  receive(model, 'ff', { priority: 99n, requires: ['c', 'e'] });
  expect(place(model, 'aa')).toEqual({ ready: true, effectivePriority: 10n, tieBreakSeq: 1, depth: 0 });
  expect(place(model, 'bb')).toEqual({ ready: true, effectivePriority: 3n, tieBreakSeq: 2, depth: 1 });
  expect(place(model, 'cc')).toEqual({ ready: true, effectivePriority: 10n, tieBreakSeq: 3, depth: 1 });
  expect(place(model, 'dd')).toEqual({ ready: true, effectivePriority: 10n, tieBreakSeq: 1, depth: 1 });
  expect(place(model, 'ff')).toEqual({ ready: true, effectivePriority: 10n, tieBreakSeq: 3, depth: 2 });
  expect(order(model)).toEqual(['ee', 'aa', 'dd', 'cc', 'ff', 'bb']);
});

test('what waits for a parent is last, and stands in its place once the parent is there', () => {
  const model = makeModel();
  expect(receive(model, 'bb', { priority: 50n, requires: ['a'] })).toMatchObject({ kind: 'received', parked: true });
  receive(model, 'cc', { priority: 1n });
  expect(order(model)).toEqual(['cc', 'bb']);
  receive(model, 'aa', { priority: 7n, provides: ['a'] });
  expect(order(model)).toEqual(['aa', 'bb', 'cc']);
});

test.each([
  [100n, 110n],
  [101n, 112n],
  [0n, 1n],
  [-100n, -99n],
  [-(2n ** 63n), -(2n ** 63n) + 1n],
  [2n ** 53n, 9_907_919_180_215_092n],
])('a replacement of %d needs %d', (old, required) => {
  const model = makeModel();
  receive(model, 'aa', { priority: old, provides: ['a'] });
  const refused = receive(model, 'bb', { priority: required - 1n, provides: ['a'] });
  expect(refused).toEqual({ kind: 'replacement-underpriced', hash: 'bb', required });
  expect(receive(model, 'bb', { priority: required, provides: ['a'] })).toMatchObject({ kind: 'received' });
  expect(model.reader().checkStatus(['aa'])[0]).toMatchObject({ stage: 'Dropped', reason: 'replaced' });
});

test('what takes the place of several must outweigh them all', () => {
  const model = makeModel();
  receive(model, 'aa', { priority: 10n, provides: ['a'] }, 10);
  receive(model, 'bb', { priority: 50n, requires: ['a'], provides: ['b'] }, 10);
  const refused = receive(model, 'cc', { priority: 59n, provides: ['a', 'b'] }, 10);
  expect(refused).toEqual({ kind: 'replacement-underpriced', hash: 'cc', required: 61n });
  expect(receive(model, 'cc', { priority: 61n, provides: ['a', 'b'] }, 10)).toMatchObject({ kind: 'received' });
});

test('the end of the order goes, no more of it than has to, and never for an equal one', () => {
  const model = makeModel({ maxTxs: 3 });
  for (const [hash, priority] of [
    ['aa', 5n],
    ['bb', 7n],
    ['cc', 9n],
  ] as const)
    receive(model, hash, { priority });
  expect(model.reader().usage().load?.floor).toEqual({ kind: 'at-least', priority: 6n });
  expect(receive(model, 'dd', { priority: 5n })).toEqual({
    kind: 'full',
    hash: 'dd',
    floor: { kind: 'at-least', priority: 6n },
  });
  expect(receive(model, 'dd', { priority: 6n })).toMatchObject({ kind: 'received' });
  expect(order(model)).toEqual(['cc', 'bb', 'dd']);
});

test('what is passed over takes its descendants with it, and they do not count', () => {
  const model = makeModel();
  receive(model, 'aa', { priority: 9n, gas: 8, provides: ['a'] });
  receive(model, 'bb', { priority: 9n, gas: 1, requires: ['a'] });
  receive(model, 'cc', { priority: 5n, gas: 2 });
  const hashes = (skip: number) =>
    model
      .reader()
      .reap({ maxGas: 5, skip })
      .map(({ hash }) => hash);
  expect(hashes(0)).toEqual([]);
  expect(hashes(1)).toEqual(['cc']);
});

test('an undone block may leave none that waits for itself', () => {
  const model = makeModel();
  model.confirm({ point: point(1), seen: [], unseen: [] });
  receive(model, 'bb', { requires: ['b'], provides: ['a'] });
  model.confirm({ point: point(2), seen: ['bb'], unseen: [], provides: ['a'] });
  receive(model, 'aa', { requires: ['a'], provides: ['b'] });
  expect(order(model)).toEqual(['aa']);
  model.rollback(point(1));
  expect(model.reader().checkStatus(['aa'])[0]).toMatchObject({ stage: 'Dropped', reason: 'cycle' });
  expect(
    model
      .reader()
      .peekParked()
      .transactions.map(({ hash }) => hash),
  ).toEqual(['bb']);
});

test('a tag is satisfied by a block until that is undone', () => {
  const model = makeModel();
  receive(model, 'aa', { requires: ['a'] });
  model.confirm({ point: point(1), seen: [], unseen: [], provides: ['a'] });
  expect(place(model, 'aa')).toMatchObject({ ready: true });
  model.rollback('origin');
  expect(place(model, 'aa')).toMatchObject({ ready: false });
  expect(model.reader().dump().satisfied).toEqual([]);
});

test('a take that is repeated tells what is still under its lease', () => {
  const model = makeModel();
  receive(model, 'aa', { priority: 1n });
  receive(model, 'bb', { priority: 2n });
  const options = { owner: 'me', claimMs: 5, operationId: 'lot' };
  const lot = model.take({}, options);
  expect(lot.transactions.map(({ hash }) => hash)).toEqual(['bb', 'aa']);
  model.markAcknowledged(['bb']);
  receive(model, 'cc', { priority: 3n });
  expect(model.take({}, options)).toEqual({ ...lot, transactions: lot.transactions.slice(1) });
});
