import { MempoolError } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { answered } from '../mempool/tap.ts';
import { eventually, lostLock, type Scene, scene } from './scene.ts';
import { ScriptedChain } from './scripted-chain.ts';

const away = new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the store is away');
const broken = new MempoolError('ERR_MEMPOOL_INTERNAL', 'a fault of the backend');

/** Runs out, one call after the other; none is left after the last. */
function failures(...errors: (Error | null)[]): () => void {
  return () => {
    const error = errors.shift();
    if (error) throw error;
  };
}

/** Its leadership ends while a block is on its way: the work ends when that is done. */
async function losesDuring(s: Scene, letGo: () => void): Promise<void> {
  await s.asked('confirm');
  const lost = s.node.election.lose();
  expect(await answered(lost)).toBe(false);
  letGo();
  await lost;
  expect(s.tap.count('confirm')).toBe(1);
  await s.has('b1');
}

describe('a leader that loses', () => {
  it('has nothing under way in the pool when its work has ended', async () => {
    await using s = await scene({ chain: 'b1 b2 b3' });
    await s.told('skipped', 3);
    const letGo = s.holdConfirm();
    s.win();
    await losesDuring(s, letGo);
  });

  it('in the middle of a block that just came has that one done before its work ends', async () => {
    await using s = await scene();
    await s.lead();
    const letGo = s.holdConfirm();
    s.grow('b1');
    await losesDuring(s, letGo);
  });

  it('without knowing it is fenced in the middle of its backlog, and the next one goes on there', async () => {
    await using s = await scene({ chain: 'b1..b5' });
    const b = await s.join('b', new ScriptedChain(...s.blocks('b1..b5')));
    await Promise.all([s.told('skipped', 5), b.told('skipped', 5)]);
    s.tap.before('confirm', () => {
      if (s.tap.count('confirm') === 3) b.election.win();
    });
    const { term } = s.win();
    await s.told('fenced');
    await b.told('ready');
    await s.has('b1..b5');
    expect(s.node.events.slice(5)).toEqual([
      { kind: 'applied', tip: { point: s.point('b1'), tick: 1 }, term },
      { kind: 'applied', tip: { point: s.point('b2'), tick: 2 }, term },
      { kind: 'fenced', point: s.point('b3'), term },
    ]);
    expect(s.node.lines.at(-1)).toBe(lostLock);
    expect(b.kinds(5)).toEqual(['applied', 'applied', 'applied', 'ready']);
  });
});

describe('a leader that was refused and leads on', () => {
  it.each([
    ['at the next block', 'b3'],
    ['though no other block comes', null],
  ])('was fenced, and goes on when it has its lease back, %s', async (_, next) => {
    await using s = await scene({ chain: 'b1' });
    const lease = await s.lead();
    s.elections.put(null);
    s.grow('b2');
    await s.told('fenced');
    await s.has('b1');
    s.elections.put(lease);
    if (next !== null) s.grow(next);
    await s.reaches(next === null ? 'b1 b2' : 'b1 b2 b3');
  });

  it('was in doubt of itself, and goes on when it is not', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.lead();
    s.node.election.valid = () => false;
    s.grow('b2');
    await eventually(() => expect(s.node.lines).toContain(lostLock));
    await s.has('b1');
    s.node.election.valid = () => true;
    await s.reaches('b1 b2');
  });

  it('asks with pauses, and no more when its leadership is over', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.told('skipped');
    s.win();
    s.elections.give('b');
    const before = performance.now();
    await s.told('fenced', 3);
    expect(performance.now() - before).toBeGreaterThan(1_000);
    await s.node.election.lose();
    const asked = s.tap.calls.length;
    await s.node.watcher.stop();
    expect(s.tap.calls).toHaveLength(asked);
    await s.has('');
  });
});

describe('a leader whose pool fails', () => {
  it('repeats a block whose answer was lost under the same operation id', async () => {
    await using s = await scene({ chain: 'b1 b2' });
    const lost = new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the answer was lost');
    const fail = failures(lost, lost);
    s.tap.after('confirm', async () => fail());
    s.win();
    await s.told('applied', 2);
    await s.has('b1 b2');
    expect(s.kinds().filter((kind) => kind === 'applied')).toHaveLength(2);
    // A repeat under another id would be a duplicate, and the tip be read once more.
    expect(s.tap.count('tip')).toBe(2);
  });

  it('ends its waiting with its leadership', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.told('skipped');
    s.tap.before('confirm', () => Promise.reject(away));
    s.win();
    await s.asked('confirm');
    await s.node.election.lose();
    await s.has('');
    expect(s.node.lines.at(-1)).toBe(lostLock);
  });

  it('for good says so, gives the leadership up and follows on', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.told('skipped');
    s.tap.before('confirm', failures(broken));
    const { term } = s.win();
    await s.told('failed');
    expect(s.node.events.at(-1)).toEqual({ kind: 'failed', error: broken, term });
    await eventually(() => expect(s.node.election.lease).toBeNull());
    s.grow('b2');
    await s.told('skipped', 2);
    await s.lead();
    await s.has('b1 b2');
  });

  it('for good does not lead on without applying anything, where its election does not resign at once', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.told('skipped');
    const { election } = s.node;
    const [resign, fail] = [election.resign.bind(election), failures(away, away)];
    election.resign = async () => {
      fail();
      await resign();
    };
    s.tap.before('confirm', failures(broken));
    s.win();
    await s.told('failed');
    await eventually(() => expect(election.lease).toBeNull());
    s.win();
    await s.reaches('b1');
  });

  it('for a block that no pool takes has it again from the source that was put right', async () => {
    await using s = await scene({ chain: 'b1' });
    s.chain.grow({ ...s.blocks('b1 b2')[1], seen: ['no hash'] });
    s.win();
    await s.told('failed');
    await eventually(() => expect(s.node.election.lease).toBeNull());
    s.replace('b1', 'b2');
    await eventually(() => expect(s.chain.readers).toBe(1));
    s.win();
    await s.reaches('b1 b2');
  });
});

describe('a leader whose pool somebody else writes to', () => {
  it('reads the tip anew where it was moved', async () => {
    await using s = await scene({ chain: 'b1' });
    const lease = await s.lead();
    const [, b2] = s.blocks('b1 b2');
    await s.store.confirm(b2, {}, { lease });
    s.grow('b2 b3');
    await s.reaches('b1 b2 b3');
    await s.store.rollback(s.point('b2'), { lease });
    s.grow('b4');
    await s.reaches('b1 b2 b3 b4');
  });

  it('applies nothing above a block that was put there, also where the source names no parents', async () => {
    await using s = await scene();
    const blocks = s.blocks('b1 b2 b3').map((block) => ({ ...block, parent: undefined }));
    const [, c2] = s.blocks('b1 c2');
    s.chain.grow(...blocks.slice(0, 2));
    const lease = s.win();
    await s.told('applied', 2);
    await s.store.rollback(s.point('b1'), { lease });
    await s.store.confirm(c2, {}, { lease });
    s.chain.grow(...blocks.slice(2));
    await s.reaches('b1 b2 b3');
  });

  it('gives it the chain from the beginning where all of its blocks were lost', async () => {
    await using s = await scene({ chain: 'b1 b2' });
    const lease = s.win();
    await s.told('applied', 2);
    await s.store.rollback('origin', { lease });
    s.grow('b3');
    await s.reaches('b1 b2 b3');
  });

  it('gives up where the pool is never where it says it is', async () => {
    await using s = await scene({ chain: 'b1' });
    const lease = await s.lead();
    // Somebody with the same lease applies and undoes between the look and the block.
    s.tap.before('confirm', async () => void (await s.store.confirm(s.block('b2'), {}, { lease })));
    s.tap.after('confirm', async () => void (await s.store.rollback(s.point('b1'), { lease })));
    s.grow('b2');
    await s.told('failed');
    expect(s.node.election.resigned).toBe(1);
  });
});
