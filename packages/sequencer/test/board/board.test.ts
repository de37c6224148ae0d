import { setTimeout as delay } from 'node:timers/promises';
import { createElection, inProcessElection, Leases } from 'mempool-election';
import { type EpochBoard, servedEpochs } from 'mempool-sequencer/server';
import { createMetrics } from 'mempool-server';
import { describe, expect, test } from 'vitest';
import { backends, names, onEpoch } from '../cast.ts';
import { signed } from '../validator.ts';
import {
  boardOf,
  type Cast,
  cast,
  hour,
  openEpoch,
  phaseReached,
  recounted,
  runEpoch,
  startBoard,
  watched,
} from './scene.ts';

const everything = (board: EpochBoard) => ({
  ...{ rows: board.rows(), gaps: board.gaps(), moments: board.moments(), summary: board.summary() },
  ...{ hourly: board.hourly(), daily: board.daily() },
});

const submissionsOf = (board: EpochBoard, epoch: number) => {
  const row = board.rows().find((each) => each.epoch === epoch);
  const { cursor: _, ...counts } = row?.counts ?? { cursor: '' };
  return counts;
};

/** Opens an epoch whose window is over, and moves on by an hour. */
async function passed(scene: Cast, epoch: number): Promise<void> {
  await watched(scene).first.window.open({ epoch, closesAt: scene.clock.ms + 1_000, validators: names });
  scene.clock.ms += hour;
}

test('the epochs are told of although the election cannot be read, and that is logged once', async () => {
  const scene = await cast('ephemeral');
  for (const each of scene.validators) await each.start();
  const logged: string[] = [];
  const election = createElection(inProcessElection, { leases: new Leases(), nodeId: 'board', observer: true });
  const log = (_: string, message: string) => logged.push(message);
  const board = await boardOf(scene, { election, log, refreshMs: 10 });
  await openEpoch(scene, 1);
  await expect.poll(() => board.rows().length).toBe(1);
  const before = board.generatedAt;
  scene.clock.ms += 1;
  await expect.poll(() => board.generatedAt).toBeGreaterThan(before);
  expect([board.workers(), logged]).toEqual([[], ['the workers cannot be read']]);
  await election.start();
  await expect.poll(() => board.workers()).toMatchObject([{ name: 'board', leads: false, alive: true }]);
  expect(logged).toEqual(['the workers cannot be read', 'the workers can be read again']);
  await election.stop();
});

test('the metrics show how late the release of the newest epoch was read', async () => {
  const scene = await cast('ephemeral');
  const board = await boardOf(scene);
  const metrics = createMetrics();
  servedEpochs(board, { metrics });
  const shown = async () => (await metrics.text()).match(/^mempool_epoch_release_late_seconds (.*)$/m)?.[1];
  expect(await shown()).toBeUndefined();
  const { window } = watched(scene).first;
  await window.open({ epoch: 1, closesAt: scene.clock.ms + 1_000, validators: names });
  await board.refresh();
  expect(await shown()).toBe('0');
  await window.open({ epoch: 2, closesAt: scene.clock.ms - 2_500, validators: names });
  await board.refresh();
  expect(await shown()).toBe('2.5');
});

test('the metrics show open epochs, gaps and participation', async () => {
  const scene = await cast('ephemeral');
  const board = await boardOf(scene);
  const metrics = createMetrics();
  servedEpochs(board, { metrics });
  const shown = async (series: string) => {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`${series} `));
    return line?.slice(series.length + 1);
  };
  expect([await shown('mempool_epochs_open'), await shown('mempool_epoch_gaps{kind="missing_level1"}')]).toEqual([
    '0',
    '0',
  ]);
  for (const each of scene.validators) await each.start();
  await runEpoch(scene, 1);
  await board.refresh();
  expect(await shown(`mempool_epoch_participation{validator="${names[0]}"}`)).toBe('1');
  await watched(scene).first.window.open({ epoch: 2, closesAt: scene.clock.ms - 3_600_000, validators: names });
  await board.refresh();
  expect(await shown('mempool_epoch_gaps{kind="missing_level1"}')).toBe('1');
});

describe.each(backends)('on %s', (backend) => {
  test('boards that work at once, and those that end at any time, tell what a recount of the event logs tells', async () => {
    const scene = await cast(backend);
    for (const each of scene.validators) await each.start();
    const slow = { refreshMs: 100 };
    const boards = [await boardOf(scene, slow), await boardOf(scene, slow)] as const;
    const ended = new AbortController();
    const others = (async () => {
      while (!ended.signal.aborted) {
        const board = await startBoard(scene, { refreshMs: 50 });
        await delay(100);
        await board.close();
      }
    })();
    for (const epoch of [1, 2, 3]) await runEpoch(scene, epoch);
    ended.abort();
    await others;
    const [one] = boards;
    for (const board of boards) {
      const isFinal = () =>
        board.rows().every(({ isSettled, counts }) => isSettled && counts.finalized === counts.counted);
      await expect.poll(isFinal).toBe(true);
    }
    const late = await boardOf(scene);
    for (const board of [...boards, late]) expect(everything(board)).toEqual(everything(one));
    for (const epoch of [1, 2, 3]) {
      const counts = await recounted(scene, epoch);
      expect(submissionsOf(one, epoch)).toEqual(counts);
      expect(counts).toMatchObject({ pending: 0, checking: 0, dropped: { equivocation: 12 } });
    }
    const [first] = one.rows();
    expect(first).toMatchObject({ phase: 'complete', projects: 45, leftOut: 0, batches: names, included: names });
    expect(one.gaps()).toEqual([]);
    const all = { epochs: 3, batches: 3, agreements: 3, included: 3, participation: 1, inclusion: 1 };
    const { lastDay, validators, openGaps, active } = one.summary();
    expect(validators).toEqual(names.map((validator) => ({ validator, ...all })));
    expect({ openGaps, active }).toEqual({ openGaps: 0, active: 0 });
    const received = one.rows().reduce((sum, { counts }) => sum + counts.received, 0);
    expect(lastDay).toMatchObject({ epochs: 3, complete: 3, failed: 0, received });
    expect(lastDay.counted + Object.values(lastDay.dropped).reduce((a, b) => a + b)).toBe(received);
  });

  test('an epoch is told of while it runs, its gaps open and are resolved, and one that failed says why', async () => {
    const scene = await cast(backend, { level2TimeoutMs: 100_000 }, ['v1']);
    const { clock } = scene;
    const one = watched(scene);
    await one.join();
    const board = await boardOf(scene, { grace: { level1Ms: 5_000, level2Ms: 7_000 } });
    expect(board.current()).toBeNull();
    await openEpoch(scene, 1);
    for (const slot of [1, 2])
      await one.first.gateway.accept(signed({ epoch: 1, slot, project: 'p', cid: 'c' }), { peer: 'p' });
    await expect
      .poll(() => board.current())
      .toMatchObject({ epoch: 1, alias: 'submission', submissions: { pending: 2 } });
    clock.ms += 9_000;
    const closedAt = clock.ms;
    expect(board.gaps()).toEqual([]);
    clock.ms += 5_000;
    const gap = { epoch: 1, kind: 'missing_level1', openedAt: closedAt + 5_000 };
    expect(board.gaps()).toEqual([{ ...gap, resolvedAt: null, reason: 'submissions_not_checked' }]);
    expect(board.summary()).toMatchObject({ openGaps: 1, active: 1 });
    clock.ms += 1_000;
    await one.start();
    await phaseReached(one, 1, 'level2');
    await expect.poll(() => board.gaps()).toEqual([{ ...gap, resolvedAt: closedAt + 6_000, reason: null }]);
    await expect.poll(() => board.current()).toMatchObject({ level2: 'collecting', batches: ['v1'], included: null });
    clock.ms += 100_000;
    await phaseReached(one, 1, 'failed');
    await expect.poll(() => board.active()).toEqual([]);
    expect(board.gaps()).toMatchObject([{}, { kind: 'missing_level2', resolvedAt: null, reason: 'no_quorum' }]);
    expect(board.moments().map(({ what, detail }) => [what, detail])).toEqual([
      ['opened', null],
      ['closed', null],
      ['gap-opened', 'missing_level1'],
      ['counted', null],
      ['gap-resolved', 'missing_level1'],
      ['gap-opened', 'missing_level2'],
      ['failed', 'no_quorum'],
    ]);
    // The chain overrides it, and nobody works on it again.
    const { lease } = one.leadership;
    await one.first.monitor.apply({ kind: 'confirmed', epoch: 1, root: 'r', transaction: 't' }, lease);
    await expect.poll(() => board.current()).toMatchObject({ phase: 'complete', root: 'r', endedAt: clock.ms });
    expect(board.gaps()).toMatchObject([{}, { kind: 'missing_level2', resolvedAt: clock.ms, reason: null }]);
    await one.first.monitor.apply({ kind: 'undone', epoch: 1 }, lease);
    await expect.poll(() => board.active()).toMatchObject([{ epoch: 1, onchain: 'queued', undoneAt: clock.ms }]);
    const shares = board.summary().validators.map(({ participation, inclusion }) => [participation, inclusion]);
    expect(shares).toEqual([
      [1, null],
      [0, null],
      [0, null],
    ]);
  });

  test('hours and days are sums of the epochs that are kept, and all that is stored has an end', async () => {
    const scene = await cast(backend, {}, ['v1']);
    const { clock } = scene;
    clock.ms = Math.floor(clock.ms / hour) * hour;
    const one = watched(scene);
    const board = await boardOf(scene, { refreshMs: 30_000 });
    const { records } = one.first.namespace;
    for (let epoch = 1; epoch <= 30; epoch++) await passed(scene, epoch);
    await board.refresh();
    const hourly = board.hourly();
    expect(hourly.map(({ epochs }) => epochs)).toEqual([0, ...Array(23).fill(1)]);
    expect(hourly[1]).toMatchObject({ from: clock.ms - hour, to: clock.ms, received: 0 });
    const sum = () => board.daily().reduce((total, { epochs }) => total + epochs, 0);
    expect([board.daily().length, sum()]).toEqual([7, 30]);
    expect((await boardOf(scene, { refreshMs: 30_000 })).daily()).toEqual(board.daily());

    // An epoch that is not done is kept, and so is its hour.
    clock.ms += 9 * 24 * hour;
    await board.refresh();
    expect(board.rows()).toHaveLength(30);
    const states = { phase: 'complete', onchain: 'confirmed', endedAt: clock.ms };
    for (const { name, value, version } of await records.list<object>('epoch/'))
      expect(await records.replace(name, { ...value, ...states }, version)).toBe(true);
    await records.removeAll('active/');
    await board.refresh();
    expect([await records.list('board/'), board.rows(), sum()]).toEqual([[], [], 0]);
  });

  test('an epoch that is forgotten while somebody reads it leaves nothing behind', async () => {
    const scene = await cast(backend, {}, ['v1']);
    const one = watched(scene);
    await one.join();
    await openEpoch(scene, 1);
    const board = await boardOf(scene);
    const { namespace } = one.first;
    const record = await one.first.epoch(1);
    if (record === null) throw new Error('no epoch');
    const before = await one.home.content();
    await onEpoch(one.first, 1, (pool) => pool.usage());
    await board.close();
    await namespace.removeEpoch(1);
    await namespace.records.removeAll('epoch/');
    const left = await one.home.content();
    expect(left.length).toBeLessThan(before.length);
    const late = await boardOf(scene);
    await late.refresh();
    expect((await one.home.content()).toSorted()).toEqual(left.toSorted());
  });
});
