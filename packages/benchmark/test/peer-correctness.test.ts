import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, inject, test } from 'vitest';
import type { CorrectnessOptions } from '../src/peers/correctness.ts';
import { peerCorrectness } from '../src/peers/correctness.ts';
import { original } from '../src/peers/original.ts';
import { loadPeerSubject, ours } from '../src/peers/ours.ts';
import { type Aftermath, judge } from '../src/peers/verdict.ts';

function options(given: Pick<CorrectnessOptions, 'peers'>): CorrectnessOptions {
  return { redisUrl: inject('redisUrl'), folder: '', cuts: 12, seed: 7, ...given };
}

afterAll(async () => {
  const client = new Redis(inject('redisUrl'));
  for await (const keys of client.scanStream({ match: `*cut-${process.pid}-*`, count: 1_000 }))
    if (keys.length > 0) await client.unlink(keys);
  client.disconnect();
});

describe('cut connections', () => {
  test('double in a design that repeats a command, and in the same trials each time', async () => {
    const rows = await peerCorrectness(options({ peers: [original] }));
    expect(rows.map(({ kind, step }) => [kind, step])).toEqual([
      ['counted', 'add'],
      ['counted', 'in flight'],
      ['counted', 'confirm'],
    ]);
    const [add] = rows;
    expect(add).toMatchObject({ cuts: 12, lost: 0, unknown: 0 });
    expect(add?.kind === 'counted' && add.doubled).toBeGreaterThan(0);
    expect(await peerCorrectness(options({ peers: [original] }))).toEqual(rows);
  });

  test('double and lose nothing in ours, and the caller knows what was done', async () => {
    const subject = await loadPeerSubject(fileURLToPath(new URL('../../redis/test/subject.ts', import.meta.url)));
    const rows = await peerCorrectness(options({ peers: [ours(subject)] }));
    const right = { kind: 'counted', peer: ours(subject).name, cuts: 12, doubled: 0, lost: 0, unknown: 0 };
    expect(rows).toEqual(['add', 'in flight', 'confirm'].map((step) => ({ ...right, step })));
  });

  test('leave a row with the reason where a peer cannot be run', async () => {
    const open = async (): Promise<never> => {
      throw new Error('nowhere to be found');
    };
    const rows = await peerCorrectness(options({ peers: [{ name: 'absent', package: 'absent', lacks: '', open }] }));
    const row = { kind: 'not run', peer: 'absent', reason: 'nowhere to be found' };
    expect(rows).toEqual(['add', 'in flight', 'confirm'].map((step) => ({ ...row, step })));
  });
});

const nowhere = { waiting: [], inflight: [], done: [] };

describe('the verdict on a cut', () => {
  const cases: readonly (readonly [string, Aftermath, string[]])[] = [
    [
      'one copy added is right',
      { step: 'add', hashes: ['a'], told: ['a'], census: { ...nowhere, waiting: ['a'] } },
      [],
    ],
    [
      'two copies are doubled',
      { step: 'add', hashes: ['a'], told: ['a'], census: { ...nowhere, waiting: ['a', 'a'] } },
      ['doubled'],
    ],
    ['none is lost', { step: 'add', hashes: ['a'], told: ['a'], census: nowhere }, ['lost']],
    [
      'an error leaves the caller without knowledge',
      { step: 'add', hashes: ['a'], told: null, census: { ...nowhere, waiting: ['a'] } },
      ['unknown'],
    ],
    [
      'one taken and told is right',
      { step: 'in flight', hashes: ['a', 'b'], told: ['a'], census: { ...nowhere, waiting: ['b'], inflight: ['a'] } },
      [],
    ],
    [
      'another taken and told is right: a queue chooses',
      { step: 'in flight', hashes: ['a', 'b'], told: ['b'], census: { ...nowhere, waiting: ['a'], inflight: ['b'] } },
      [],
    ],
    [
      'two taken for one call are doubled, and one is held by nobody',
      { step: 'in flight', hashes: ['a', 'b'], told: ['b'], census: { ...nowhere, inflight: ['a', 'b'] } },
      ['doubled', 'lost'],
    ],
    [
      'one that is in no list is lost',
      { step: 'in flight', hashes: ['a', 'b'], told: ['b'], census: { ...nowhere, inflight: ['b'] } },
      ['lost'],
    ],
    [
      'one in two lists is doubled',
      {
        step: 'in flight',
        hashes: ['a', 'b'],
        told: ['a'],
        census: { ...nowhere, waiting: ['a', 'b'], inflight: ['a'] },
      },
      ['doubled'],
    ],
    [
      'nothing taken though the caller was answered is lost',
      { step: 'in flight', hashes: ['a', 'b'], told: [], census: { ...nowhere, waiting: ['a', 'b'] } },
      ['lost'],
    ],
    [
      'one confirmed is right, kept or not',
      { step: 'confirm', hashes: ['a', 'b'], told: ['a'], census: { ...nowhere, inflight: ['b'] } },
      [],
    ],
    [
      'one still in flight is lost',
      { step: 'confirm', hashes: ['a', 'b'], told: ['a'], census: { ...nowhere, inflight: ['a', 'b'] } },
      ['lost'],
    ],
    [
      'another confirmed beside it is lost',
      { step: 'confirm', hashes: ['a', 'b'], told: ['a'], census: { ...nowhere, done: ['a', 'b'] } },
      ['lost'],
    ],
    [
      'one still in flight where the caller was told of an error is not known',
      { step: 'confirm', hashes: ['a', 'b'], told: null, census: { ...nowhere, inflight: ['a', 'b'] } },
      ['unknown'],
    ],
  ];
  test.each(cases)('%s', (_, aftermath, flags) => {
    const set = Object.entries(judge(aftermath)).filter(([, value]) => value);
    expect(set.map(([flag]) => flag)).toEqual(flags);
  });
});
