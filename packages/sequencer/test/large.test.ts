import { describe, expect, test } from 'vitest';
import { agree, merkleRoot, winner } from '../src/index.ts';
import { jsonBytes, votePartsOf } from '../src/rules/parts.ts';
import { reducedTo } from '../src/rules/quorum.ts';
import { alone, cast, openEpoch, phaseReached } from './cast.ts';
import { batchOf, send, submit } from './played.ts';
import { signed, type Validator } from './validator.ts';

const four = ['v1', 'v2', 'v3', 'v4'];
const named = (prefix: string, i: number): string => prefix + String(i).padStart(6, '0');
const made = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, i) => ({
    project: named('z', i).padEnd(bytes, 'z'),
    cid: named('y', i).padEnd(bytes, 'y'),
  }));

test('one validator that makes up thousands of projects does not keep the others from their agreement', async () => {
  const { scene, one } = await alone('ephemeral', {}, four);
  await one.start();
  await openEpoch(scene, 1);
  const leaves = await submit(one.first, 1, { a: 'x' });
  scene.clock.ms += 10_000;
  const same = await Promise.all(['v2', 'v3'].map((name) => batchOf(name, 1, leaves, four)));
  await send(one.first, ...same, await batchOf('v4', 1, made(16_000, 22), four));
  await phaseReached(one, 1, 'onchain');
  expect(await one.first.epoch(1)).toMatchObject({ root: merkleRoot(leaves) });
  const { leftOut = [], ...agreed } = (await one.first.agreement(1)) ?? {};
  expect(agreed).toMatchObject({ leaves, validators: four });
  expect(leftOut.length).toBeGreaterThan(10_000);
  expect(leftOut.length).toBeLessThan(16_000);
});

const anySlot = { isSlot: () => true, peerRate: Number.POSITIVE_INFINITY };

async function vote({ first }: Validator, slots: number, project: (slot: number, i: number) => string, each: number) {
  for (let slot = 1; slot <= slots; slot++)
    for (let i = 0; i < each; i++) {
      const cid = `${slot}-${i}-`.padEnd(256, 'x');
      const message = signed({ epoch: 1, slot, project: project(slot, i), cid });
      expect(await first.gateway.accept(message, { peer: 'p' })).toMatchObject({ kind: 'received' });
    }
}

test('slots that each name other long content ids do not keep the epoch from its result', async () => {
  const scene = await cast('ephemeral', anySlot, ['v1'], ['v1']);
  const [one] = scene.validators as readonly [Validator];
  await one.start();
  await openEpoch(scene, 1);
  await vote(one, 220, (_, i) => `p${i}`, 20);
  scene.clock.ms += 10_000;
  await phaseReached(one, 1, 'onchain');
  expect(await one.first.epoch(1)).toMatchObject({ level1: 'completed', tally: { counted: 4_400, parts: 2 } });
  const { leaves = [] } = (await one.first.agreement(1)) ?? {};
  const lowest = [...Array(20).keys()].map((i) => ({ project: `p${i}`, cid: `1-${i}-`.padEnd(256, 'x') }));
  expect(leaves).toEqual(lowest.sort((a, b) => (a.project < b.project ? -1 : 1)));
});

test('a result that no record holds is not published, and the epoch ends with that reason', async () => {
  let published = 0;
  const publish = () => `cid-${++published}`;
  const { scene, one } = await alone('ephemeral', { ...anySlot, publish, level2TimeoutMs: 0 }, ['v1']);
  await one.start();
  await openEpoch(scene, 1);
  await vote(one, 3, (slot, i) => `${slot}-${i}-`.padEnd(256, 'p'), 700);
  scene.clock.ms += 10_000;
  await phaseReached(one, 1, 'failed');
  expect(await one.first.epoch(1)).toMatchObject({ level1: 'skipped', reason: 'batch_too_large', localRoot: null });
  expect(published).toBe(0);
  await expect.poll(() => one.first.namespace.parts.usage()).toMatchObject({ pending: 0, acknowledged: 0 });
});

describe('parts', () => {
  const votesOf = (project: string, count: number, most = 0) => ({
    project,
    votes: Array.from({ length: count }, (_, i) => [named('c', i), i === most ? 2 : 1] as const),
  });

  test('have at most 20 projects and so many bytes, and keep all votes that fit', () => {
    const projects = Array.from({ length: 45 }, (_, i) => votesOf(named('p', i), i));
    expect(votePartsOf(projects, 1_000_000).map((part) => part.length)).toEqual([20, 20, 5]);
    for (const maxBytes of [700, 1_000, 5_000]) {
      const parts = votePartsOf(projects, maxBytes);
      expect(parts.flat()).toEqual(projects);
      for (const part of parts) expect(jsonBytes(part)).toBeLessThanOrEqual(maxBytes);
      // The first project of the next part had no room.
      for (const [i, [next]] of parts.slice(1).entries())
        if (next !== undefined && parts[i]?.length !== 20)
          expect(jsonBytes([...(parts[i] ?? []), next])).toBeGreaterThan(maxBytes);
    }
    expect(votePartsOf([], 1_000)).toEqual([]);
  });

  test('leave out content ids that cannot win, if a project is larger by itself', () => {
    for (const most of [0, 5, 99]) {
      const [[one] = []] = votePartsOf([votesOf('p', 100, most)], 300);
      expect(winner(one?.votes ?? [])).toBe(named('c', most));
      expect(jsonBytes([one ?? {}])).toBeLessThanOrEqual(300);
      expect(one?.votes).toEqual(one?.votes.toSorted(([a], [b]) => (a < b ? -1 : 1)));
      expect(one?.votes.length).toBeGreaterThan(15);
    }
  });
});

test('an agreement names the projects that most validators found, and agrees on nothing if its leaves have no room', () => {
  const batches = ['v1', 'v2'].map((validator) => ({
    ...{ validator, root: merkleRoot([]) },
    leaves: [
      { project: 'a', cid: 'x' },
      { project: 'b', cid: validator },
    ],
  }));
  const leaves = [...made(50, 10), { project: 'zz', cid: 'both' }];
  const all = ['v1', 'v2', 'v3', 'v4', 'v5'];
  const agreement = agree(1, [...batches, { validator: 'v3', root: merkleRoot([]), leaves }], all);
  expect(reducedTo(jsonBytes(agreement), agreement)).toBe(agreement);
  const reduced = reducedTo(600, agreement);
  expect(jsonBytes(reduced)).toBeLessThanOrEqual(600);
  expect(reduced.leftOut.slice(0, 3).map(({ project }) => project)).toEqual(['a', 'b', named('z', 0).padEnd(10, 'z')]);
  const agreed = { ...agreement, leaves: made(50, 10), root: merkleRoot(made(50, 10)) };
  expect(reducedTo(600, agreed)).toMatchObject({ leaves: [], root: '00'.repeat(32) });
});
