import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { defaultVerdict } from '../../src/contract/verdict.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { encodeChange } from '../../src/priority/change-record.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import { MirroredPool, mirroredEntry, type PoolPosition } from '../../src/priority/mirrored-pool.ts';
import { isPlaced } from '../../src/priority/pool-node.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import type { Step } from '../../src/rules/step.ts';

const start: PoolPosition = { epoch: 'made once', version: 0, stamp: 's0' };
const retention = { maxFinalized: 10, maxRollback: 10 };
const moment = { nowMs: 0, height: 0 };
const thresholds = { finalizeThreshold: 2, dropThreshold: 2 };

function emptyMirror(): MirroredPool {
  return MirroredPool.of({ position: start, retention, limits: {}, records: [] });
}

function receive(hash: string): (pool: Planning) => Step<unknown> {
  const body = { hash, payload: Buffer.from('payload'), payloadType: 0 };
  const submissions = [{ ...body, verdict: defaultVerdict, from: null }];
  return (pool) => admitStep(pool, submissions, moment, thresholds);
}

/** The records that a storage has after these calls, each planned on what the ones before left. */
function recordsOf(...hashes: readonly string[]): Buffer[] {
  const writer = emptyMirror();
  return hashes.map((hash, i) => {
    const { change } = writer.plan(receive(hash));
    if (change === null) throw new Error('the call changed nothing');
    writer.applyOwn({ ...start, version: i, stamp: `s${i}` }, change, `s${i + 1}`);
    return encodeChange(change);
  });
}

const hashesIn = ({ pool }: MirroredPool) => dumpOf(pool.index).entries.map(({ hash }) => hash);

test('changes that a mirror has already are skipped, as answers may cross', () => {
  const mirror = emptyMirror();
  const [a, b, c] = recordsOf('a1', 'b1', 'c1') as [Buffer, Buffer, Buffer];
  mirror.follow(start, [a, b], 's2');
  mirror.follow(start, [a], 's1');
  mirror.follow({ ...start, version: 1, stamp: 's1' }, [b, c], 's3');
  expect(hashesIn(mirror)).toEqual(['a1', 'b1', 'c1']);
  expect(mirror.position).toEqual({ ...start, version: 3, stamp: 's3' });
});

test('changes that do not continue from the position of the mirror are ignored', () => {
  const [, b] = recordsOf('a1', 'b1') as [Buffer, Buffer];
  for (const from of [{ version: 1 }, { epoch: 'made again' }, { stamp: 'another way' }]) {
    const mirror = emptyMirror();
    mirror.follow({ ...start, ...from }, [b], 's2');
    expect(mirror.position).toEqual(start);
    expect(hashesIn(mirror)).toEqual([]);
    expect(mirror.isBroken).toBe(false);
  }
});

test('nothing is applied where one of the changes cannot be read', () => {
  const mirror = emptyMirror();
  const [a] = recordsOf('a1') as [Buffer];
  expect(() => mirror.follow(start, [a, Buffer.from('damaged')], 's2')).toThrow();
  expect(hashesIn(mirror)).toEqual([]);
  expect(mirror.position).toEqual(start);
  expect(mirror.isBroken).toBe(false);
});

test('a mirror that got half of a change is broken', () => {
  const mirror = emptyMirror();
  mirror.pool.apply = () => {
    throw new Error('the change does not fit');
  };
  expect(() => mirror.follow(start, recordsOf('a1'), 's1')).toThrow('does not fit');
  expect(mirror.isBroken).toBe(true);
});

test(`a plan is seen once it is stored, and its change makes the same of another mirror, seed ${seed}`, () => {
  const chance = new Random(seed);
  const limits = { maxTxs: 5, replacementBump: 0 };
  const [mirror, follower] = [1, 2].map(() => MirroredPool.of({ position: start, retention, limits, records: [] }));
  if (mirror === undefined || follower === undefined) throw new Error('there are two');
  const contentOf = ({ pool }: MirroredPool) => [dumpOf(pool.index), [...pool.memory.dump()]];
  for (let calls = 0; calls < 300; calls++) {
    const before = contentOf(follower);
    const { position } = mirror;
    const submissions = Array.from({ length: 1 + chance.below(3) }, () => priced(chance, calls));
    const { step, change, entryBefore } = mirror.plan((pool) => admitStep(pool, submissions, moment, thresholds));
    const known = step.writes.map(({ after }) => [
      entryBefore(after.hash),
      follower.pool.index.node(after.hash)?.entry,
    ]);
    for (const [told, entry] of known) expect(told).toEqual(entry);
    const isLost = chance.below(4) === 0;
    // A look at the pool takes the plan back.
    if (isLost || chance.below(2) === 0) expect(contentOf(mirror)).toEqual(before);
    if (change === null || isLost) continue;
    const stamp = `s${calls}`;
    mirror.applyOwn(position, { ...change, at: calls }, stamp);
    follower.follow(position, [encodeChange({ ...change, at: calls })], stamp);
    expect(mirror.position).toEqual(follower.position);
    expect(contentOf(mirror)).toEqual(contentOf(follower));
  }
  // On average 118. Few plans would prove little.
  expect(mirror.position.version).toBeGreaterThan(60);
});

function priced(chance: Random, least: number) {
  const body = { hash: chance.hex(1), payload: Buffer.from('payload'), payloadType: 0 };
  const tag = () => (chance.below(3) === 0 ? [chance.pick(['x', 'y', 'z'])] : []);
  const verdict = { ...defaultVerdict, priority: BigInt(least + chance.below(50)), provides: tag(), requires: tag() };
  return { ...body, verdict, from: null };
}

test('a call that changes nothing has no change for other mirrors, and makes no version', () => {
  const mirror = emptyMirror();
  mirror.commit(receive('a1'), (step) => step);
  expect(mirror.position.version).toBe(1);
  expect(mirror.plan(receive('a1')).change).toBeNull();
  const versions: number[] = [];
  mirror.commit(receive('a1'), (step, version) => {
    versions.push(version);
    return step;
  });
  expect(versions).toEqual([1]);
});

test('a call whose step could not be stored leaves the mirror as it was', () => {
  const mirror = emptyMirror();
  const full = () => {
    throw new Error('the disk is full');
  };
  expect(() => mirror.commit(receive('a1'), full)).toThrow('the disk is full');
  expect(hashesIn(mirror)).toEqual([]);
  expect(mirror.isBroken).toBe(false);
});

test('M2: an entry that is missing or damaged is reported, and replaced by one that no call hands out', () => {
  for (const record of [null, Buffer.from('damaged')]) {
    const place = { hash: 'a1', seq: 7, bytes: 5 };
    const reports: unknown[] = [];
    const entry = mirroredEntry(place, record, (found) => reports.push(found));
    expect(reports).toEqual([place]);
    expect(entry).toMatchObject({ hash: 'a1', seq: 7, bytes: 5, verdict: { requires: [''] } });
  }
});

test('a mirror that contradicts itself after a failed call is damaged, and read anew', () => {
  const mirror = emptyMirror();
  mirror.follow(start, recordsOf('a1'), 's1');
  const contradicting = (pool: Planning): never => {
    receive('b1')(pool);
    const node = pool.index.node('b1');
    // As after reading damaged records: the order does not have the transaction at its key.
    if (node !== undefined && isPlaced(node)) pool.index.order.delete(node);
    throw new Error('the file cannot be written to');
  };
  const failed = () => mirror.commit(contradicting, (step) => step);
  expect(failed).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }));
  expect(mirror.isBroken).toBe(true);
});
