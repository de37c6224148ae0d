import { type ChainSource, type SourceStep, Watcher, type WatcherOptions } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { hash, invalid, rest, transaction } from '../mempool/tap.ts';
import { eventually, lostLock, notWatcher, Scene, scene } from './scene.ts';
import { blockOn, ScriptedChain } from './scripted-chain.ts';

describe('a watcher', () => {
  it('that wins applies what it saw before, then each block as it comes', async () => {
    await using s = await scene({ chain: 'b1' });
    s.grow('b2');
    await s.told('skipped', 2);
    await s.has('');
    await s.lead();
    await s.has('b1 b2');
    s.grow('b3');
    await s.told('applied', 3);
    await s.has('b1 b2 b3');
    expect(s.kinds()).toEqual(['skipped', 'skipped', 'applied', 'applied', 'ready', 'applied']);
    expect(s.node.lines).toEqual([notWatcher, notWatcher, 'acquired watcher lock']);
  });

  it('says what it did with the tip and the term it did it in', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.told('skipped');
    const { term } = await s.lead();
    s.grow('b2');
    s.undo('b1');
    await s.told('undone');
    const [b1, b2] = [s.point('b1'), s.point('b2')];
    expect(s.node.events).toEqual([
      { kind: 'skipped', point: b1 },
      { kind: 'applied', tip: { point: b1, tick: 1 }, term },
      { kind: 'ready', tip: { point: b1, tick: 1 }, term },
      { kind: 'applied', tip: { point: b2, tick: 2 }, term },
      { kind: 'undone', tip: { point: b1, tick: 1 }, term },
    ]);
  });

  it('says after every block that its work goes on', async () => {
    await using s = await scene();
    await s.lead();
    const before = s.node.election.progress;
    s.grow('b1 b2 b3');
    await s.told('applied', 3);
    expect(s.node.election.progress).toBeGreaterThanOrEqual(before + 3);
  });

  it('applies with its own thresholds where it has some', async () => {
    await using s = await scene({ policy: { finalizeThreshold: 1 } });
    await s.store.receive([transaction(1)]);
    s.chain.grow(blockOn(0, 1, null, 1));
    s.win();
    await s.told('applied');
    expect(await s.store.status([hash(1)])).toMatchObject([{ stage: 'Finalized' }]);
  });

  it('asks its source for the next step only when the pool has the one before', async () => {
    let handedOut = 0;
    const started = Promise.withResolvers<void>();
    async function* steps(): AsyncGenerator<SourceStep> {
      for (const block of s.blocks('b1..b5')) {
        handedOut += 1;
        yield { kind: 'apply', block };
      }
      await new Promise(() => undefined);
    }
    const intersect: ChainSource['intersect'] = async () => {
      await started.promise;
      return { point: null, steps: steps() };
    };
    await using s = await scene({ source: { intersect } });
    const held = Promise.withResolvers<void>();
    s.tap.before('confirm', () => held.promise);
    s.win();
    started.resolve();
    await s.asked('confirm');
    await rest();
    expect(handedOut).toBe(1);
    held.resolve();
    await s.told('applied', 5);
    await s.has('b1..b5');
  });

  it('lets a new pool begin where its source has it begin, and goes back there', async () => {
    const point = { slot: 9, hash: hash(9) };
    const [later, other] = [blockOn(0, 10, null), blockOn(1, 11, null)].map((block) => ({ ...block, parent: hash(9) }));
    async function* steps(): AsyncGenerator<SourceStep> {
      for (const block of [later, other]) {
        yield { kind: 'undo', point };
        if (block !== undefined) yield { kind: 'apply', block };
      }
      await new Promise(() => undefined);
    }
    await using s = await scene({ source: { intersect: async () => ({ point, steps: steps() }) } });
    s.win();
    await eventually(async () => expect(await s.store.tip()).toMatchObject({ point: other?.point, tick: 1 }));
    expect(s.kinds()).not.toContain('diverged');
  });

  it('calls every listener of a kind, whatever one of them does, until it is removed', async () => {
    await using s = await scene();
    const heard: number[] = [];
    const { watcher } = s.node;
    watcher.on('applied', () => {
      throw new Error('a listener of the application');
    });
    watcher.on('applied', () => Promise.reject(new Error('an asynchronous one')));
    const remove = watcher.on('applied', ({ tip }) => heard.push(tip.tick));
    s.win();
    s.grow('b1');
    await s.told('applied');
    remove();
    s.grow('b2');
    await s.told('applied', 2);
    await s.has('b1 b2');
    expect(heard).toEqual([1]);
  });

  it('goes on where its log fails', async () => {
    const log = (): void => {
      throw new Error('no room for a line');
    };
    await using s = await scene({ chain: 'b1', log });
    await s.told('skipped');
    s.chain.cut(new Error('the connection broke'));
    s.win();
    s.grow('b2');
    await s.reaches('b1 b2');
  });

  it.each<[string, object]>([
    ['election.runAsLeader', { election: {} }],
    ['election.resign', { election: { runAsLeader: () => undefined } }],
    ['pool.tip', { pool: {} }],
    ['source.intersect', { source: null }],
    ['policy', { policy: null }],
    ['dropThreshold', { policy: { dropThreshold: 'twice' } }],
    ['ringSize', { ringSize: 0 }],
    ['log', { log: 'loud' }],
    ...[0, -1, 1.5, 2 ** 31, Number.NaN, '5', null].map((progressTimeoutMs): [string, object] => [
      'progressTimeoutMs',
      { progressTimeoutMs },
    ]),
  ])('names the option that is wrong: %s %#', async (field, wrong) => {
    await using s = await Scene.open();
    const good = { election: s.elections.node('a'), pool: s.store, source: s.chain };
    expect(() => new Watcher({ ...good, ...wrong } as WatcherOptions)).toThrow(expect.objectContaining(invalid(field)));
  });
});

describe('a watcher that is stopped', () => {
  it('ends at once where its source never answers', async () => {
    await using s = await scene({ before: () => new Promise(() => undefined) });
    await s.searched(1);
    await s.node.watcher.stop();
  });

  it('waits for the block under way, applies no other, and says nothing of a lost lock', async () => {
    await using s = await scene({ chain: 'b1 b2 b3' });
    await s.told('skipped', 3);
    const letGo = s.holdConfirm();
    s.win();
    await s.asked('confirm');
    const stopped = s.node.watcher.stop();
    await rest();
    letGo();
    await stopped;
    await s.has('b1');
    expect(s.node.lines).not.toContain(lostLock);
  });

  it('is stopped by the last call, whatever is still starting or stopping', async () => {
    await using s = await Scene.open();
    const chain = new ScriptedChain();
    const election = s.elections.node('a');
    const watcher = new Watcher({ election, pool: s.store, source: chain });
    for (const calls of [['start', 'stop'], ['start'], ['stop', 'start', 'stop'], ['start']] as const) {
      await Promise.all(calls.map((call) => watcher[call]()));
      await rest();
      const following = calls.at(-1) === 'start' ? 1 : 0;
      expect([chain.readers, election.waiting]).toEqual([following, following]);
    }
    await Promise.all([watcher.stop(), watcher.start()]);
    await eventually(() => expect([chain.readers, election.waiting]).toEqual([1, 1]));
    await watcher.stop();
  });

  it('waits for the leadership again where the election ended', async () => {
    await using s = await scene({ chain: 'b1' });
    await s.node.election.end(new Error('the election was stopped'));
    s.win();
    await s.reaches('b1');
  });
});
