import assert from 'node:assert/strict';
import { type Block, type ChainSource, type SourceStep, Watcher } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachElect, needing } from '../../case/must.ts';
import { Ballot, long } from '../../scenario/ballot.ts';
import { untilTrue } from '../../scenario/lease.ts';
import { point } from '../../scenario/pool.ts';

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

const ownNodes = eachElect({
  'LE4/deposed: a leader is replaced when a node says that its work stands still': async (context) => {
    const [first, second, ballot] = await led(context);
    const { lease } = first.leadership ?? assert.fail('no leadership');
    assert.equal(await second.depose(lease.term), true);
    assert.ok(second.term > lease.term);
    await untilTrue('the first one says lost', () => ballot.lossOf(lease) !== undefined);
    assert.equal(ballot.lossOf(lease)?.reason, 'taken');
    assert.deepEqual([first.isLeader(), ballot.told(second)], [false, ['takeover-forced', 'acquired']]);
  },
  'LE4/deposed-once: of another term than was meant nobody is deposed': async (context) => {
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

/** LE4: leaders whose lease is fine and whose work is not. */
export const electionProgressCases: readonly ConformanceCase[] = [...ownNodes, ...ownNodesLease];
