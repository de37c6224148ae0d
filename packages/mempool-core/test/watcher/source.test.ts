import type { ChainPoint, ChainSource, SourceStep } from 'mempool-core';
import { describe, expect, it } from 'vitest';
import { eventually, Scene, scene } from './scene.ts';
import type { ScriptedChain } from './scripted-chain.ts';

/** Answers the first searches in these ways, and follows the chain from then on. */
function after(chain: ScriptedChain, ...first: ChainSource['intersect'][]): ChainSource {
  return { intersect: (points, options) => first.shift()?.(points, options) ?? chain.intersect(points, options) };
}

/** Writes the hashes of blocks with `0x` and in capitals. */
function inCapitals(chain: ScriptedChain): ChainSource {
  const written = (point: ChainPoint): ChainPoint => ({ ...point, hash: `0x${point.hash.toUpperCase()}` });
  const rewritten = (step: SourceStep): SourceStep =>
    step.kind === 'apply'
      ? { ...step, block: { ...step.block, point: written(step.block.point) } }
      : { ...step, point: step.point && written(step.point) };
  return {
    intersect: async (points, options) => {
      const cursor = await chain.intersect(points, options);
      if (cursor === null) return null;
      const steps = async function* () {
        for await (const step of cursor.steps) yield rewritten(step);
      };
      return { point: cursor.point && written(cursor.point), steps: steps() };
    },
  };
}

describe('a source that', () => {
  it('writes hashes with 0x and in capitals is followed through forks and a new search', async () => {
    await using s = await Scene.open();
    s.grow('b1 b2');
    await s.join('a', s.chain, { source: inCapitals(s.chain) });
    s.win();
    await s.reaches('b1 b2');
    s.chain.cut();
    await s.searched(2);
    s.grow('b3');
    await s.reaches('b1 b2 b3');
    s.undo('b1');
    s.grow('c2 c3');
    await s.reaches('b1 c2 c3');
  });

  it('cannot be reached is asked until it can', async () => {
    let refused = 0;
    const before = (): void => {
      refused += 1;
      if (refused < 4) throw new Error('connection refused');
    };
    await using s = await scene({ chain: 'b1', before });
    s.win();
    await s.reaches('b1');
    expect(refused).toBe(4);
  });

  it.each([
    ['leaves a block out', 'b1 b3'],
    ['gives a block twice', 'b1 b2 b2'],
  ])('%s is asked again, and the pool gets none of it', async (_, wrong) => {
    await using s = await scene();
    await s.lead();
    s.blocks('b1 b2 b3');
    s.grow(wrong);
    await eventually(() => expect(s.chain.searches.length).toBeGreaterThan(1));
    s.replace(null, 'b1 b2 b3');
    await s.reaches('b1 b2 b3');
    expect(s.kinds()).not.toContain('failed');
  });

  it('has forgotten what was seen is asked for what the pool has applied', async () => {
    await using s = await scene({ chain: 'b1 b2' });
    await s.told('skipped', 2);
    s.replace(null, 'c1 c2');
    await s.apply('c1');
    await eventually(() => expect(s.chain.searches.at(-1)).toEqual([s.point('c1')]));
    s.win();
    await s.reaches('c1 c2');
  });

  it('finds a point that it was not asked for is not followed from there', async () => {
    await using s = await Scene.open();
    await s.apply('b1');
    s.chain.grow(...s.blocks('b1 b2 b3'));
    const lost = s.chain.intersect([s.point('b2')], { signal: new AbortController().signal });
    await s.join('a', s.chain, { source: after(s.chain, () => lost) });
    await s.told('skipped');
    expect(s.node.events[0]).toEqual({ kind: 'skipped', point: s.point('b2') });
    s.win();
    await s.reaches('b1 b2 b3');
    expect(s.kinds()).not.toContain('diverged');
  });

  it('asks again and again for what it lacks is not asked without a pause', async () => {
    await using s = await scene({ applied: 'b1 b2', chain: 'b1 c2..c7', ringSize: 2 });
    await s.told('skipped', 6);
    s.win();
    // Fenced at every block, its short ring loses the common one each time.
    s.elections.give('b');
    await s.told('fenced', 3);
    const before = performance.now();
    const searched = s.chain.searches.length;
    await eventually(() => expect(s.chain.searches.length).toBeGreaterThanOrEqual(searched + 3));
    expect(performance.now() - before).toBeGreaterThan(90);
  });

  it('gives a wrong block every time is asked after pauses that grow, and the work does not go on by that', async () => {
    await using s = await Scene.open();
    await s.apply('b1');
    const [{ point }, , b3] = s.blocks('b1 b2 b3');
    async function* steps(): AsyncGenerator<SourceStep> {
      yield { kind: 'undo', point };
      yield { kind: 'apply', block: b3 };
    }
    const asked: number[] = [];
    const intersect: ChainSource['intersect'] = async () => {
      asked.push(performance.now());
      return { point, steps: steps() };
    };
    await s.join('a', s.chain, { source: { intersect } });
    s.win();
    await eventually(() => expect(asked).toHaveLength(5));
    expect(s.node.election.progress).toBe(0);
    expect((asked[4] as number) - (asked[3] as number)).toBeGreaterThan(200);
  });

  it('knows none of the points is not another chain where the pool has moved since they were read', async () => {
    const gate = Promise.withResolvers<void>();
    await using s = await scene({ applied: 'b1 b2', chain: 'c1 c2', before: () => gate.promise });
    await s.searched(1);
    const lease = s.elections.give('b');
    await s.store.rollback('origin', { lease });
    await s.store.confirm(s.block('c1'), {}, { lease });
    s.win();
    gate.resolve();
    await s.reaches('c1 c2');
    expect(s.kinds()).not.toContain('diverged');
  });
});
