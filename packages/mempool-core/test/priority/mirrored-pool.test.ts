import { expect, test } from 'vitest';
import { defaultVerdict } from '../../src/contract/verdict.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { encodeChange } from '../../src/priority/change-record.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import { MirroredPool, type PoolPosition } from '../../src/priority/mirrored-pool.ts';
import { isPlaced } from '../../src/priority/pool-node.ts';
import { dropPoolStep } from '../../src/priority/pool-step.ts';
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

type Plan = (pool: Planning) => Step<unknown>;

/** The records that a storage has after these calls, each planned on what the ones before left. A text is received. */
function recordsOf(...calls: readonly (string | Plan)[]): Buffer[] {
  const writer = emptyMirror();
  return calls.map((call, i) => {
    const { change } = writer.plan(typeof call === 'string' ? receive(call) : call);
    if (change === null) throw new Error('the call changed nothing');
    writer.applyOwn({ ...start, version: i, stamp: `s${i}` }, change, `s${i + 1}`);
    return encodeChange(change);
  });
}

const hashesIn = ({ pool }: MirroredPool) => dumpOf(pool.index).entries.map(({ hash }) => hash);

test('changes that a mirror has already are skipped, as answers may cross', () => {
  const mirror = emptyMirror();
  const drop: Plan = (pool) => dropPoolStep(pool, 0, ['a1'], 'failed');
  const [a, gone, c] = recordsOf('a1', drop, 'c1') as [Buffer, Buffer, Buffer];
  mirror.follow(start, [a, gone], 's2');
  mirror.follow(start, [a], 's1');
  mirror.follow({ ...start, version: 1, stamp: 's1' }, [gone, c], 's3');
  mirror.follow(start, [a, gone, c], 's3');
  expect(mirror.pool.usage()).toMatchObject({ pending: 1, logged: 1, lastLogSeq: 1, lastSeq: 2 });
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

test.each(['plan', 'commit'] as const)('a fault in the middle of a %s leaves the mirror as it was', (verb) => {
  const mirror = emptyMirror();
  mirror.commit(receive('a1'), (step) => step);
  const before = dumpOf(mirror.pool.index);
  const failing = (pool: Planning): never => {
    receive('b1')(pool);
    pool.index.begin();
    receive('c1')(pool);
    throw new RangeError('out of memory');
  };
  const run = { plan: () => mirror.plan(failing), commit: () => mirror.commit(failing, (step) => step) };
  expect(run[verb]).toThrow(RangeError);
  expect(dumpOf(mirror.pool.index)).toEqual(before);
  mirror.commit(receive('c1'), (step) => step);
  expect(hashesIn(mirror)).toEqual(['a1', 'c1']);
});
