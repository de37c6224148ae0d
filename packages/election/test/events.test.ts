import { expect, it } from 'vitest';
import { createElection, type ElectionEvent, inProcessElection, type LeaderView } from '../src/index.ts';
import { Cluster, lead } from './cluster.ts';

it('a listener that throws or rejects is logged, and disturbs neither the election nor the next listener', async () => {
  const cluster = new Cluster();
  const logged: string[] = [];
  const { election } = cluster.node({ log: (level) => void logged.push(level) });
  const heard: string[] = [];
  election.on('acquired', () => {
    throw new Error('mine');
  });
  election.on('acquired', () => Promise.reject(new Error('mine too')));
  election.on('acquired', async () => heard.push('asynchronous'));
  election.on('acquired', () => heard.push('synchronous'));
  await election.start();
  await cluster.clock.advance(20_000);
  expect(heard).toEqual(['asynchronous', 'synchronous']);
  expect(logged.filter((level) => level === 'error')).toHaveLength(2);
  expect(election.isLeader()).toBe(true);
});

it('a logger that throws does not end an election', async () => {
  const { cluster, election } = await lead({
    log: () => {
      throw new Error('disk full');
    },
  });
  await cluster.clock.advance(20_000);
  expect(election.isLeader()).toBe(true);
});

it('a listener that was removed hears nothing more', async () => {
  const cluster = new Cluster();
  const { election } = cluster.node();
  const heard: string[] = [];
  const listener = () => heard.push('x');
  const remove = election.on('state-changed', listener);
  election.on('state-changed', listener);
  await election.start();
  remove();
  remove();
  await cluster.clock.advance(1);
  const before = heard.length;
  await cluster.during(election.stop());
  expect(heard).toHaveLength(before + 1);
});

it('a listener may stop the election that called it', async () => {
  const cluster = new Cluster();
  const { election, told } = cluster.node();
  election.on('acquired', () => election.stop());
  await election.start();
  await cluster.clock.advance(10);
  expect(told('lost')).toMatchObject([{ reason: 'stopped' }]);
  expect(cluster.leases.held('watcher')).toBeNull();
});

it('the iterable tells every event, the loss at a stop too, and ends there', async () => {
  const cluster = new Cluster();
  const { election, events } = cluster.node();
  const read: ElectionEvent[] = [];
  const reading = (async () => {
    for await (const event of election.events()) read.push(event);
  })();
  await election.start();
  await cluster.clock.advance(1);
  await cluster.during(election.stop());
  await reading;
  expect(read).toEqual(events);
  expect(read.map(({ kind }) => kind)).toContain('lost');
});

it('an iterable ends with its signal, and with break', async () => {
  const { election } = await lead();
  const controller = new AbortController();
  const reading = (async () => {
    for await (const _ of election.events({ signal: controller.signal })) return 'an event';
    return 'the end';
  })();
  controller.abort();
  expect(await reading).toBe('the end');
  for await (const leader of election.observe()) {
    expect(leader?.nodeId).toBe(election.id);
    break;
  }
});

it('who observes is told who leads, then every change', async () => {
  const cluster = new Cluster();
  const first = await cluster.lead({ nodeId: 'a', address: 'host:1' });
  const second = await cluster.start({ nodeId: 'b' });
  const seen: (LeaderView | null)[] = [];
  const reading = (async () => {
    for await (const leader of second.election.observe()) seen.push(leader);
  })();
  await cluster.during(first.election.stop());
  await cluster.clock.advance(600);
  await cluster.during(second.election.stop());
  await reading;
  const { term } = first.election;
  const a = { nodeId: 'a', address: 'host:1', priority: 0, term };
  const b = { nodeId: 'b', address: null, priority: 0, term: term + 1 };
  expect(seen).toEqual([a, null, b, null]);
});

it('an error of work that was stopped is logged, and its interruption is not', async () => {
  const lines: unknown[][] = [];
  const { cluster, election, wire } = await lead({ log: (...line) => lines.push(line) });
  const late = new Error('late');
  const ends = [(signal: AbortSignal) => signal.reason, () => new DOMException('cut off', 'AbortError'), () => late];
  for (const end of ends) {
    const work = election.runAsLeader(async (signal, term) => {
      if (term !== firstTerm) return;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw end(signal);
    });
    const firstTerm = election.term;
    await cluster.clock.settle();
    wire.set('refused');
    await cluster.clock.advance(10_500);
    wire.heal();
    await cluster.clock.advance(1_000);
    await work;
  }
  const failed = lines.filter(([, message]) => String(message).includes('work failed'));
  expect(failed).toEqual([
    ['warn', expect.any(String), { election: 'watcher', term: expect.any(Number), error: late }],
  ]);
});

it('an error of the work comes back, and the node goes on leading', async () => {
  const { election } = await lead();
  const work = election.runAsLeader(() => {
    throw new Error('of the work');
  });
  await expect(work).rejects.toThrow('of the work');
  expect(election.isLeader()).toBe(true);
});

it('work that ended after its time was up counts as lost, not as done', async () => {
  const { cluster, election } = await lead();
  let runs = 0;
  const result = election.runAsLeader(() => {
    runs += 1;
    if (runs === 1) cluster.clock.stall(20_000);
    return runs;
  });
  await cluster.clock.advance(1_000);
  expect(await result).toBe(2);
});

it('waiting to lead ends with the signal, and with a stop', async () => {
  const cluster = new Cluster();
  await cluster.lead();
  const { election } = await cluster.start();
  const controller = new AbortController();
  const ends = [
    expect(election.runAsLeader(() => 1, { signal: controller.signal })).rejects.toThrow('enough'),
    expect(election.runAsLeader(() => 1)).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' }),
  ];
  controller.abort(new Error('enough'));
  await cluster.during(election.stop());
  await Promise.all(ends);
  await expect(election.runAsLeader(() => 1)).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' });
});

it('to campaign says whether this node leads then', async () => {
  const cluster = new Cluster();
  const first = await cluster.start({ jitterMs: 1_000 });
  const second = await cluster.start({ jitterMs: 1_000 });
  const won = first.election.campaign();
  await cluster.clock.settle();
  expect(await won).toBe(true);
  const late = second.election.campaign();
  await cluster.clock.settle();
  expect(await late).toBe(false);
  await cluster.during(second.election.stop());
  await expect(second.election.campaign()).rejects.toMatchObject({ code: 'ERR_ELECTION_STOPPED' });
});

it('metrics count what happened', async () => {
  const { cluster, election, wire } = await lead();
  wire.set({ afterMs: 40 }, 'renew');
  await cluster.clock.advance(9_999);
  expect(election.metrics()).toMatchObject({
    campaigns: 1,
    wins: 1,
    renewals: 2,
    renewalFailures: 0,
    lastRenewalMs: 40,
    ledMs: 10_000,
    isLeader: true,
    term: election.term,
  });
  await cluster.during(election.stop(), 50);
  expect(election.metrics()).toMatchObject({ losses: { stopped: 1, expired: 0 }, ledMs: 10_000, isLeader: false });
});

it('a follower asks once a poll and beats once a third of a ttl; a leader renews and does nothing else', async () => {
  const cluster = new Cluster();
  const leader = await cluster.lead();
  const follower = await cluster.start();
  leader.wire.calls.length = follower.wire.calls.length = 0;
  await cluster.clock.advance(60_000);
  const counted = ({ calls }: typeof leader.wire) => Map.groupBy(calls, (verb) => verb);
  expect([...counted(leader.wire)].map(([verb, calls]) => [verb, calls.length])).toEqual([['renew', 18]]);
  expect(Object.fromEntries([...counted(follower.wire)].map(([verb, calls]) => [verb, calls.length]))).toEqual({
    observe: 120,
    heartbeat: 17,
  });
});

it('the system clock runs an election as well', async () => {
  const { leases } = new Cluster();
  await using election = createElection(inProcessElection, { leases, ttlMs: 250 });
  await election.start();
  expect(await election.runAsLeader((_, term) => term)).toBe(election.term);
});
