import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Block, type ChainSource, type SourceStep, Watcher } from 'mempool-core';
import { type Election, systemClock } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, eachOnElection, needing } from '../../case/must.ts';
import { Ballot, hanging, lone, long, SleepyClock, short, stall, Withheld } from '../../scenario/ballot.ts';
import { until, untilTrue } from '../../scenario/lease.ts';
import { point } from '../../scenario/pool.ts';

const ownNodesLeading = eachElect({
  'LE3/hanging-renewal: a leader whose renewals hang stops believing in time and tells lost': async (context) => {
    const { through, hang } = hanging();
    const store = await context.leases();
    const [leader, ballot] = await lone(context, { ...short, through });
    hang();
    const { lease } = leader.leadership ?? assert.fail('no leadership');
    await untilTrue('it does not believe', () => !leader.isLeader());
    const { lease: live } = await store.observe();
    assert.ok(live === null || live.token === lease.token);
    await untilTrue('it has said so', () => ballot.lossOf(lease) !== undefined);
    const lost = ballot.lossOf(lease);
    assert.deepEqual([lost?.reason, lost?.term], ['expired', lease.term]);
  },
  'LE3/stalled: a leader that was stalled past its time knows it at its first statement': async (context) => {
    const [leader] = await lone(context, short);
    const { leadership } = leader;
    stall(600);
    const believes = [leader.isLeader(), leadership?.isLeader(), leadership?.remainingMs()];
    assert.deepEqual(believes, [false, false, 0]);
    assert.throws(() => leadership?.assertValid());
  },
  'LE3/suspended: a leader that slept past its time by the wall clock knows it at once': async (context) => {
    const clock = new SleepyClock();
    const [leader] = await lone(context, { ...long, clock });
    clock.sleptMs = 60_000;
    assert.equal(leader.isLeader(), false);
  },
  'LE3/set-back: a wall clock that is set back does not lengthen a leadership': async (context) => {
    let offsetMs = 0;
    const clock = { ...systemClock, wallMs: () => systemClock.wallMs() + offsetMs };
    const [leader] = await lone(context, { ...short, clock });
    offsetMs = -3_600_000;
    stall(600);
    assert.equal(leader.isLeader(), false);
  },
  'LE3/remaining: the remaining time of a leadership is less than the lease time, and shrinks': async (context) => {
    let goneMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + goneMs };
    const [leader] = await lone(context, { ...long, clock });
    // Its campaign, and any renewal hastened by the hint of its win, were sent before this.
    goneMs = 500;
    const first = leader.leadership?.remainingMs() ?? 0;
    assert.ok(first > 0 && first <= 60_000 - 1_202 - goneMs);
    await untilTrue('it shrinks', () => (leader.leadership?.remainingMs() ?? first) < first);
  },
});

const oneNodeLeading = eachOnElection({
  'LE3/lease: a leader holds the lease that the store has': async (store, context) => {
    const [leader] = await lone(context, { ...long, nodeId: 'node-a', address: 'http://a', priority: 3 });
    const { nodeId, token, term, address, priority } = (await store.observe()).lease ?? assert.fail('no lease');
    assert.deepEqual({ nodeId, token, term }, leader.leadership?.lease);
    assert.deepEqual([nodeId, address, priority, leader.term], ['node-a', 'http://a', 3, term]);
  },
  'LE3/renewed: a leader renews: its time restarts, under the same lease': async (store, context) => {
    const [leader, ballot] = await lone(context, { ...long, renewMs: 100 });
    const { leadership } = leader;
    const { lease } = leadership ?? assert.fail('no leadership');
    const before = await store.observe();
    const left = (): number => leadership?.remainingMs() ?? 0;
    const endMs = left() + performance.now();
    await untilTrue('it ends later', () => performance.now() + left() > endMs + 150);
    const after = await store.observe();
    assert.ok((after.lease?.seq ?? 0) > (before.lease?.seq ?? 0));
    assert.deepEqual(
      [leader.leadership?.lease, after.lease?.token, ballot.told(leader)],
      [lease, lease.token, ['acquired']],
    );
  },
});

const leading: readonly ConformanceCase[] = [...ownNodesLeading, ...oneNodeLeading];

/** Late answers. A renewal is sent half a lease after the one before, and answered when the earlier one's time has ended. */
const late: readonly ConformanceCase[] = eachElect({
  'LE3/late-answer: a renewal that is answered when the time is up gives no more time': async (context) => {
    const clock = new SleepyClock();
    using answers = new Withheld();
    const [leader, ballot] = await lone(context, { ...long, renewMs: 100, clock, through: answers.through });
    const leadership = leader.leadership ?? assert.fail('no leadership');
    answers.begin();
    clock.sleptMs = 30_000;
    await untilTrue('a renewal is under way', () => answers.waits);
    clock.sleptMs = 59_500;
    await answers.give();
    const lost = () => ballot.lossOf(leadership.lease);
    await untilTrue('it has said lost, or renews again', () => lost() !== undefined || answers.waits);
    assert.equal(lost()?.reason, 'expired');
    assert.deepEqual([leadership.isLeader(), leadership.remainingMs()], [false, 0]);
  },
  'LE3/late-after-lost: a renewal answered after the loss was told changes nothing': async (context) => {
    const clock = new SleepyClock();
    using answers = new Withheld();
    const [leader, ballot] = await lone(context, { ...long, renewMs: 100, clock, through: answers.through });
    const leadership = leader.leadership ?? assert.fail('no leadership');
    answers.begin();
    clock.sleptMs = 30_000;
    await untilTrue('a renewal is under way', () => answers.waits);
    clock.sleptMs = 59_500;
    assert.equal(leader.isLeader(), false);
    await untilTrue('it has said lost', () => ballot.lossOf(leadership.lease) !== undefined);
    await answers.give();
    // The answer to its next campaign waits behind the renewal's answer.
    await answers.give();
    const next = await until('it leads again', () => leader.leadership);
    assert.notEqual(next.lease.token, leadership.lease.token);
    assert.deepEqual([leadership.isLeader(), leadership.remainingMs()], [false, 0]);
  },
  'LE3/counted-from-sending: time counts from when a request was sent, not from its answer': async (context) => {
    const clock = new SleepyClock();
    using answers = new Withheld();
    answers.begin();
    const ballot = new Ballot(context, [{ ...long, renewMs: 100, clock, through: answers.through }]);
    const starting = ballot.start();
    await untilTrue('a campaign is under way', () => answers.waits);
    clock.sleptMs = 20_000;
    await answers.give();
    const leader = await ballot.leader();
    const left = (): number => leader.leadership?.remainingMs() ?? 0;
    assert.ok(left() > 0 && left() <= 60_000 - 1_202 - 20_000);
    await untilTrue('a renewal is under way', () => answers.waits);
    clock.sleptMs = 40_000;
    await answers.give();
    await untilTrue('the next one is under way', () => answers.waits);
    assert.ok(left() > 0 && left() <= 60_000 - 1_202 - 20_000);
    await starting;
  },
});

const ownNodes = eachElect({
  'LE6/one-of-three: of three nodes one leads, and the others see who': async (context) => {
    const ballot = new Ballot(context, [long, long, long]);
    await ballot.start();
    const leader = await ballot.leader();
    for (const node of ballot.nodes) await untilTrue('all see the leader', () => node.leader?.nodeId === leader.id);
    assert.deepEqual(ballot.leaders(), [leader]);
    assert.deepEqual(ballot.nodes.map(({ state }) => state).sort(), ['follower', 'follower', 'leader']);
  },
  'LE6/stopped: a leader that stops hands over before its lease ends': async (context) => {
    const ballot = new Ballot(context, [long, long, long]);
    await ballot.start();
    const first = await ballot.leader();
    const { term } = first;
    await first.stop();
    const next = await ballot.leader([first]);
    assert.ok(next.term > term);
    assert.deepEqual(ballot.told(first), ['acquired', 'lost']);
  },
  'LE6/resigned: a leader that resigns lets another one lead': async (context) => {
    const ballot = new Ballot(context, [long, long]);
    await ballot.start();
    const first = await ballot.leader();
    await first.resign();
    const next = await ballot.leader([first]);
    assert.deepEqual([first.state, next.term > (ballot.notes[0]?.event.term ?? 0)], ['follower', true]);
  },
  'LE6/begun-again: a node that stopped may start again, and leads under a higher term': async (context) => {
    const [node] = await lone(context, long);
    const { term } = node;
    await node.stop();
    await node.start();
    await untilTrue('it leads again', () => node.isLeader());
    assert.ok(node.term > term);
  },
});

const oneNode = eachOnElection({
  'LE6/stopped-while-starting: a node stopped while it starts leaves no lease behind': async (store, context) => {
    for (let soonMs = 0; soonMs < 15; soonMs++) {
      const node = context.elect({ ...long, jitterMs: 0 });
      const starting = node.start().catch(() => undefined);
      await delay(soonMs);
      await node.stop();
      await starting;
      assert.equal((await store.observe()).lease, null);
    }
  },
});

const handingOver: readonly ConformanceCase[] = [...ownNodes, ...oneNode];

/** Cases of LE3 and LE6: a node's election, above the verbs of the store. */
export const electionNodeCases: readonly ConformanceCase[] = [...leading, ...late, ...handingOver];

/** A leader and a follower that sees it. The leader renews often, so that it learns soon what became of its lease. */
async function led(context: CaseContext): Promise<readonly [Election, Election, Ballot]> {
  const often = { ...long, renewMs: 100 };
  const ballot = new Ballot(context, [often, often]);
  const [first, second] = ballot.nodes as readonly [Election, Election];
  await first.start();
  await ballot.leader();
  await second.start();
  await untilTrue('the leader is seen', () => second.leader?.nodeId === first.id);
  return [first, second, ballot];
}

function emptyBlock(n: number): Block {
  const parent = n === 1 ? undefined : point(n - 1).hash;
  return { point: point(n), parent, seen: [], unseen: [] };
}

/** Empty blocks, one on the other; then nothing, for ever. */
function hangingAfter(last: number): ChainSource {
  async function* stepsFrom(first: number): AsyncGenerator<SourceStep> {
    for (let n = first; n <= last; n++) yield { kind: 'apply', block: emptyBlock(n) };
    await new Promise(() => undefined);
  }
  return {
    async intersect([newest]) {
      if (newest === undefined) return { point: null, steps: stepsFrom(1) };
      const n = Array.from({ length: last }, (_, i) => i + 1).find((one) => point(one).hash === newest.hash);
      return n === undefined ? null : { point: newest, steps: stepsFrom(n + 1) };
    },
  };
}

const electionProgressOwnNodes = eachElect({
  'LE4/deposed: a leader is replaced when a node reports that its work has stopped': async (context) => {
    const [first, second, ballot] = await led(context);
    const { lease } = first.leadership ?? assert.fail('no leadership');
    assert.equal(await second.depose(lease.term), true);
    assert.ok(second.term > lease.term);
    await untilTrue('the first one says lost', () => ballot.lossOf(lease) !== undefined);
    assert.equal(ballot.lossOf(lease)?.reason, 'taken');
    assert.deepEqual([first.isLeader(), ballot.told(second)], [false, ['takeover-forced', 'acquired']]);
  },
  'LE4/deposed-once: a leader of another term than the named one is not deposed': async (context) => {
    const [first, second, ballot] = await led(context);
    const { term } = first;
    assert.deepEqual([await second.depose(term - 1), await second.depose(term + 1)], [false, false]);
    assert.deepEqual([first.isLeader(), ballot.told(first), ballot.told(second)], [true, ['acquired'], []]);
    assert.deepEqual([await first.depose(term), first.term], [true, term]);
  },
});

const ownNodesLease = eachElect({
  'LE4/hanging-source: a watcher with more blocks takes over from one whose source hangs': async (context) => {
    await using pool = await context.open({ fenced: true });
    const [first, second, ballot] = await led(context);
    const { lease } = first.leadership ?? assert.fail('no leadership');
    const warnings: string[] = [];
    const log = (level: string, line: string) => void (level === 'warn' && warnings.push(line));
    await using hung = new Watcher({ election: first, pool, source: hangingAfter(1) });
    await hung.start();
    await untilTrue('the first block is applied', async () => (await pool.tip()).tick === 1);
    const source = hangingAfter(3);
    await using ahead = new Watcher({ election: second, pool, source, log, progressTimeoutMs: 200 });
    await ahead.start();
    await untilTrue('the chain goes on', async () => (await pool.tip()).tick === 3);
    assert.deepEqual(warnings, ['the leader applies nothing, taking its lease']);
    await untilTrue('the first one says lost', () => ballot.lossOf(lease)?.reason === 'taken');
  },
  'LE4/slow-leader: a leader that applies blocks is left alone, however slow': async (context) => {
    await using pool = await context.open({ fenced: true });
    const [first, second, ballot] = await led(context);
    const { lease } = first.leadership ?? assert.fail('no leadership');
    const source = hangingAfter(60);
    await using ahead = new Watcher({ election: second, pool, source, progressTimeoutMs: 500 });
    await ahead.start();
    for (let n = 1; n <= 40; n++) {
      const outcome = await pool.confirm(emptyBlock(n), {}, { lease });
      assert.equal(outcome.kind, 'applied');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.deepEqual([first.isLeader(), ballot.told(second)], [true, []]);
  },
}).map(needing('lease'));

/** Cases of LE4: leaders whose lease is live but whose work makes no progress. */
export const electionProgressCases: readonly ConformanceCase[] = [...electionProgressOwnNodes, ...ownNodesLease];
