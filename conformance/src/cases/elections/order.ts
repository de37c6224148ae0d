import assert from 'node:assert/strict';
import type { Election, LeaseStore } from 'mempool-election';
import type { ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection } from '../../case/must.ts';
import { leaseVerbs, verbsOf } from '../../case/verbs.ts';
import { Ballot, Calls, hanging, lone, long, short } from '../../scenario/ballot.ts';
import { until, untilTrue, win } from '../../scenario/lease.ts';

const ownNodesOrder = eachElect({
  'LE7/lost-first: a loss is reported before another node wins': async (context) => {
    const { through, hang } = hanging();
    const ballot = new Ballot(context, [{ ...short, through }, short]);
    const [first, second] = ballot.nodes as readonly [Election, Election];
    await first.start();
    await ballot.leader();
    await second.start();
    hang();
    await untilTrue('the other one leads', () => second.isLeader());
    // A stall may cost the first one a lease before it hangs; then it has won more than once.
    const order = ballot.notes.map(({ of, event }) => `${of.id} ${event.kind}`);
    const handover = order.indexOf(`${second.id} acquired`);
    assert.ok(handover >= 2 && handover % 2 === 0, order.join(', '));
    for (const [i, told] of order.slice(0, handover).entries())
      assert.equal(told, `${first.id} ${i % 2 === 0 ? 'acquired' : 'lost'}`);
  },
  'LE7/aborted-first: the signal of the work aborts before the loss is reported': async (context) => {
    const { through, hang } = hanging();
    const [leader] = await lone(context, { ...short, through });
    const { signal } = leader.leadership ?? assert.fail('no leadership');
    const { promise, resolve } = Promise.withResolvers<readonly boolean[]>();
    leader.on('lost', () => resolve([signal.aborted, leader.isLeader()]));
    assert.equal(signal.aborted, false);
    hang();
    assert.deepEqual(await promise, [true, false]);
  },
  'LE7/one-loss-per-win: every win has exactly one loss, whichever way it ends': async (context) => {
    const ballot = new Ballot(context, [long, long, long]);
    await ballot.start();
    for (let round = 0; round < 4; round++) {
      const leader = await ballot.leader();
      if (round % 2 === 0) await leader.resign();
      else await leader.stop().then(() => leader.start());
    }
    await Promise.all(ballot.nodes.map((node) => node.stop()));
    const terms = ballot.notes.map(({ event }) => event.term);
    assert.deepEqual(
      ballot.notes.map(({ event }) => event.kind),
      terms.map((_, i) => (i % 2 === 0 ? 'acquired' : 'lost')),
    );
    assert.ok(
      terms.length >= 8 && terms.every((term, i) => (i % 2 === 0 ? term > (terms[i - 1] ?? 0) : term === terms[i - 1])),
    );
  },
  'LE7/work: work is aborted when its leadership ends, and starts again with the next one': async (context) => {
    const [leader] = await lone(context, { ...long, renewMs: 100 });
    const store = await context.leases();
    const runs: { readonly signal: AbortSignal; readonly term: number }[] = [];
    const result = leader.runAsLeader(async (signal, term) => {
      runs.push({ signal, term });
      if (runs.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return term;
    });
    // Rejects where the case ends before it is waited for.
    result.catch(() => undefined);
    const [first] = await until('the work runs', () => (runs.length > 0 ? runs : null));
    assert.equal(first?.signal.aborted, false);
    await store.release((await store.observe()).lease ?? assert.fail('no lease'));
    const term = await result;
    assert.deepEqual(
      [runs.length, first?.signal.aborted, term > (first?.term ?? 0), leader.term],
      [2, true, true, term],
    );
  },
});

const oneNodeOrder = eachOnElection({
  'LE7/taken: a leader whose lease is gone from the store loses at its next renewal': async (store, context) => {
    const [leader, ballot] = await lone(context, { ...long, renewMs: 100 });
    const { lease } = leader.leadership ?? assert.fail('no leadership');
    await store.release(lease);
    const other = await win(context, store, { floor: lease.term });
    await untilTrue('it has said lost', () => ballot.told(leader).includes('lost'));
    const lost = ballot.notes.at(-1)?.event;
    assert.deepEqual(lost?.kind === 'lost' && lost.reason, 'taken');
    assert.deepEqual([leader.isLeader(), (await store.observe()).lease?.token], [false, other.token]);
  },
});

const order: readonly ConformanceCase[] = [...ownNodesOrder, ...oneNodeOrder];

/** A node that gave up leadership waits this long before it campaigns, unless another node has led. */
function assertStoodBack({ campaigns, releases }: Calls, ttlMs: number): void {
  const [released = 0, campaigned = 0] = [releases[0], campaigns[1]];
  assert.ok(campaigned - released >= ttlMs, `it campaigned again ${campaigned - released} ms after it gave up`);
}

const standingBack: readonly ConformanceCase[] = eachElect({
  'LE6/resigned-alone: a resigned node without others leads again one ttl later': async (context) => {
    const calls = new Calls();
    const [leader] = await lone(context, { ...short, through: calls.through });
    const { term } = leader;
    await leader.resign();
    await untilTrue('it leads again', () => leader.isLeader());
    assert.ok(leader.term > term);
    assertStoodBack(calls, 600);
  },
  'LE6/no-progress: a node whose work made no progress leads again one ttl later, if it is alone': async (context) => {
    const calls = new Calls();
    const ballot = new Ballot(context, [{ ...short, progressTimeoutMs: 100, through: calls.through }]);
    await ballot.start();
    const leader = await ballot.leader();
    const { lease } = leader.leadership ?? assert.fail('no leadership');
    await untilTrue('it gives up', () => ballot.lossOf(lease)?.reason === 'no-progress');
    await untilTrue('it leads again', () => leader.isLeader());
    assertStoodBack(calls, 600);
  },
  'LE6/resigned-waits: a node that resigned campaigns only after another one has led': async (context) => {
    const calls = new Calls();
    const gate = Promise.withResolvers<void>();
    const slowly = (store: LeaseStore): LeaseStore => ({
      ...verbsOf(store, leaseVerbs),
      campaign: (request) => gate.promise.then(() => store.campaign(request)),
    });
    const ballot = new Ballot(context, [
      { ...long, through: calls.through },
      { ...long, through: slowly },
    ]);
    const [first, second] = ballot.nodes as readonly [Election, Election];
    await first.start();
    await ballot.leader();
    await second.start();
    await first.resign();
    const looked = calls.looks.length;
    await untilTrue('it has looked again and again', () => calls.looks.length >= looked + 4);
    assert.deepEqual([calls.campaigns.length, ballot.leaders()], [1, []]);
    gate.resolve();
    await ballot.leader([first]);
    await untilTrue('the first one sees it', () => first.leader?.nodeId === second.id);
    await second.resign();
    assert.equal(await ballot.leader([second]), first);
  },
});

const ownNodes = eachElect({
  'LE8/conflict: a live node with the same id is reported once, and there are never two leaders': async (context) => {
    const ballot = new Ballot(context, [
      { ...long, renewMs: 100, nodeId: 'node-a' },
      { ...long, renewMs: 100, nodeId: 'node-a' },
    ]);
    const [first, second] = ballot.nodes as readonly [Election, Election];
    await first.start();
    await ballot.leader();
    await second.start();
    await untilTrue('the conflict is told', () => ballot.told(second).includes('identity-conflict'));
    const end = performance.now() + 700;
    await untilTrue('it has had time to tell again', () => {
      assert.deepEqual(ballot.leaders(), [first]);
      return performance.now() > end;
    });
    assert.deepEqual(ballot.told(second), ['identity-conflict']);
  },
});

const oneNode = eachOnElection({
  'LE8/own-dead-lease: a node waits until its earlier life’s lease ends, without conflict': async (store, context) => {
    const dead = await win(context, store, {
      candidate: { nodeId: 'node-a', address: null, priority: 0 },
      ttlMs: 1_500,
    });
    const [node, ballot] = await lone(context, { ...long, nodeId: 'node-a' });
    assert.ok(node.term > dead.term);
    assert.deepEqual(ballot.told(node), ['acquired']);
  },
});

const identity: readonly ConformanceCase[] = [...ownNodes, ...oneNode];

/** Cases of LE6–LE8: which node campaigns first, the order of a node's events, and two nodes with one id. */
export const electionOrderCases: readonly ConformanceCase[] = [...order, ...standingBack, ...identity];
