import { expect, it, vi } from 'vitest';
import { Leases } from '../src/index.ts';
import { Cluster, lead } from './cluster.ts';

it('a stop aborts the work, waits for it, says lost, releases, then resolves', async () => {
  const { cluster, election, told } = await lead();
  const steps: string[] = [];
  const work = election.runAsLeader(async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    steps.push(`aborted, held: ${cluster.leases.held('watcher') !== null}`);
    await new Promise<void>((resolve) => cluster.clock.schedule(resolve, 4_000));
    steps.push(`drained, leads: ${election.isLeader()}`);
  });
  const ended = expect(work).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' });
  election.on('lost', () => steps.push(`lost, held: ${cluster.leases.held('watcher') !== null}`));
  await cluster.clock.settle();
  const stopped = election.stop().then(() => steps.push('stopped'));
  await cluster.clock.advance(5_000);
  await Promise.all([stopped, ended]);
  expect(steps).toEqual(['aborted, held: true', 'drained, leads: true', 'lost, held: true', 'stopped']);
  expect(told('lost')).toMatchObject([{ reason: 'stopped' }]);
});

it('work that never ends holds up a stop for one ttl, and the lease is renewed until then', async () => {
  const { cluster, election } = await lead();
  election.runAsLeader(() => new Promise(() => undefined)).catch(() => undefined);
  await cluster.clock.advance(9_000);
  let done = false;
  const stopped = election.stop().then(() => {
    done = true;
  });
  await cluster.clock.advance(9_999);
  expect(done).toBe(false);
  expect(cluster.leases.held('watcher')).not.toBeNull();
  await cluster.clock.advance(1);
  await stopped;
  expect(cluster.leases.held('watcher')).toBeNull();
});

it('a stop waits for the work of a leadership that was lost before', async () => {
  const { cluster, election, wire, told } = await lead();
  let ended = false;
  const work = election.runAsLeader(async () => {
    await new Promise<void>((resolve) => cluster.clock.schedule(resolve, 15_000));
    ended = true;
  });
  work.catch(() => undefined);
  wire.set('refused');
  await cluster.clock.advance(10_000);
  expect(told('lost')).toHaveLength(1);
  const stopped = election.stop().then(() => ended);
  await cluster.clock.advance(6_000);
  expect(await stopped).toBe(true);
});

it('a stop while the store is being opened ends there', async () => {
  const cluster = new Cluster();
  const { election, wire } = cluster.node();
  const started = election.start();
  await Promise.all([election.stop(), started]);
  await cluster.clock.advance(60_000);
  expect(wire.calls).not.toContain('campaign');
  expect(cluster.clock.pending).toBe(0);
});

it('a stop undoes a start that waits for the stop before it to end', async () => {
  const { cluster, election, told } = await lead();
  const calls = [election.stop(), election.start(), election.stop()];
  await cluster.clock.advance(1_000);
  await Promise.all(calls);
  expect(told('acquired')).toHaveLength(1);
  expect(cluster.clock.pending).toBe(0);
});

it('starting and stopping twice is the same as once', async () => {
  const cluster = new Cluster();
  const { election, told } = cluster.node();
  await cluster.during(Promise.all([election.start(), election.start()]), 1);
  expect(told('acquired')).toHaveLength(1);
  await cluster.during(Promise.all([election.stop(), election.stop(), election[Symbol.asyncDispose]()]), 1);
  await election.stop();
  expect(told('lost')).toHaveLength(1);
});

it('a start that fails can be tried again', async () => {
  const cluster = new Cluster();
  const { election } = cluster.node();
  const { leases } = cluster;
  cluster.leases = new Leases({ clock: cluster.clock });
  vi.spyOn(cluster.leases, 'open').mockImplementation(() => {
    throw new Error('no store');
  });
  await expect(election.start()).rejects.toThrow();
  cluster.leases = leases;
  await cluster.during(election.start(), 1);
  expect(election.isLeader()).toBe(true);
});

it('a start that follows one which failed while it was being stopped can be stopped', async () => {
  const cluster = new Cluster();
  const { election } = cluster.node();
  const opened = vi.spyOn(cluster.leases, 'open').mockImplementationOnce(() => {
    throw new Error('no store');
  });
  const started = election.start().catch(() => election.start());
  const stopped = election.stop();
  await cluster.clock.advance(1);
  await Promise.all([started, stopped]);
  expect(opened).toHaveBeenCalledTimes(2);
  expect(election.isLeader()).toBe(true);
  await Promise.all([election.stop(), cluster.clock.advance(1)]);
  expect(election.isLeader()).toBe(false);
  expect(cluster.clock.pending).toBe(0);
});

it('a release that is not heard of, or never arrives, delays a stop and no more', async () => {
  for (const [fate, held] of [
    ['unheard', false],
    ['refused', true],
    ['hung', true],
  ] as const) {
    const cluster = new Cluster();
    const first = await cluster.lead();
    const second = await cluster.start();
    first.wire.set(fate, 'release');
    const stopped = first.election.stop();
    await cluster.clock.settle();
    expect(first.election.isLeader()).toBe(false);
    expect(cluster.leases.held('watcher')?.token === first.told('acquired')[0]?.token).toBe(held);
    await cluster.clock.advance(10_300);
    await stopped;
    expect(first.told('lost')).toMatchObject([{ reason: 'stopped' }]);
    expect(second.election.isLeader()).toBe(true);
  }
});

it('a resignation waits for the lease to be given back, whoever else resigned before', async () => {
  const { cluster, election, wire } = await lead();
  wire.set({ afterMs: 1_000 }, 'release');
  const ends: unknown[] = [];
  const resign = () => election.resign().then(() => ends.push(cluster.leases.held('watcher')));
  election.on('lost', resign);
  void resign();
  await cluster.clock.advance(999);
  expect(election.isLeader()).toBe(false);
  expect(ends).toEqual([]);
  await cluster.clock.advance(1);
  expect(ends).toEqual([null, null]);
});

it('a leader whose work stands still resigns before it is replaced, however long that is allowed to take', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a', progressTimeoutMs: 600_000 });
  const second = await cluster.start({ nodeId: 'b' });
  await cluster.clock.advance(599_000);
  expect(cluster.leaders).toEqual(['a']);
  await cluster.clock.advance(2_000);
  expect(first.told('lost')).toMatchObject([{ reason: 'no-progress' }]);
  expect(cluster.leaders).toEqual(['b']);
  expect(second.told('takeover-forced')).toEqual([]);
});
