import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import { MempoolError } from '../../src/contract/errors.ts';
import { start } from './desk.ts';

const full = new MempoolError('ERR_MEMPOOL_STORE_FULL', 'as planned');

describe('calls made in one turn', () => {
  it('become one store call, and each gets its own answer', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const answers = Promise.all(['a', 'b', 'c'].map((item) => call(mark, item)));
    await desk.until(1);
    desk.sent[0]?.answer();
    expect(await answers).toEqual(['A', 'B', 'C']);
    expect(desk.log).toEqual(['mark a,b,c']);
  });

  it('are cut at the most transactions and at the most bytes, one at least (O6)', async () => {
    const { desk, call } = start({ maxBatch: 3, maxBatchBytes: 10 });
    const mark = desk.lane('mark');
    const small = ['a', 'b', 'c', 'd'].map((item) => call(mark, item));
    const large = ['x', 'y', 'z'].map((item, i) => call(mark, item, {}, [6, 6, 99][i]));
    await desk.serve(Promise.all([...small, ...large]));
    expect(desk.log).toEqual(['mark a,b,c', 'mark d,x', 'mark y', 'mark z']);
  });

  it('do not wait for a store call under way, but for the second one', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    for (const [i, item] of ['a', 'b'].entries()) {
      void call(mark, item);
      await desk.until(i + 1);
    }
    const [c, d] = [call(mark, 'c'), call(mark, 'd')];
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['mark a', 'mark b']);
    await desk.serve(Promise.all([c, d]));
    expect(desk.log).toEqual(['mark a', 'mark b', 'mark c,d']);
  });

  it('let timers run between store calls, however many calls are made', async () => {
    const { desk, call, coalescer } = start();
    const mark = desk.lane('mark');
    let ticked = false;
    const timer = new Promise<void>((resolve) =>
      setTimeout(() => {
        ticked = true;
        resolve();
      }, 0),
    );
    const flood = async (): Promise<void> => {
      for (let i = 0; !ticked; i++) await call(mark, `${i}`);
    };
    await desk.serve(Promise.all([timer, flood()]));
    await coalescer.close();
    expect(ticked).toBe(true);
  });
});

describe('order (M2)', () => {
  it('holds for one hash across verbs, while verbs that come mixed still share store calls', async () => {
    const { desk, call } = start();
    const [submit, mark] = [desk.lane('submit', false), desk.lane('mark')];
    const all = ['a', 'b', 'c'].flatMap((item) => [call(submit, item), call(mark, item)]);
    await desk.until(1);
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['submit a,b,c']);
    await desk.serve(Promise.all(all));
    expect(desk.log).toEqual(['submit a,b,c', 'mark a,b,c']);
  });

  it('lets calls of other hashes pass one that must wait', async () => {
    const { desk, call } = start();
    const [submit, mark] = [desk.lane('submit', false), desk.lane('mark')];
    void call(submit, 'a');
    await desk.until(1);
    const rest = [call(submit, 'b'), call(mark, 'x'), call(mark, 'a')];
    await desk.until(2);
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['submit a', 'mark x']);
    await desk.serve(Promise.all(rest));
    expect(desk.log).toEqual(['submit a', 'mark x', 'submit b', 'mark a']);
  });

  it('never has two store calls under way in a lane whose order shows (L1)', async () => {
    const { desk, call } = start({ maxBatch: 1 });
    const submit = desk.lane('submit', false);
    const all = Promise.all([call(submit, 'a'), call(submit, 'b')]);
    await desk.until(1);
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['submit a']);
    await desk.serve(all);
    expect(desk.log).toEqual(['submit a', 'submit b']);
  });

  it('holds for a withdrawn call’s neighbours of the same hash', async () => {
    const { desk, call } = start();
    const [submit, mark, drop] = [desk.lane('submit', false), desk.lane('mark'), desk.lane('drop')];
    const submitted = call(submit, 'a');
    await desk.until(1);
    const abort = new AbortController();
    const marked = call(mark, 'a', { signal: abort.signal });
    const dropped = call(drop, 'a');
    abort.abort(new Error('not now'));
    await expect(marked).rejects.toThrow('not now');
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['submit a']);
    await desk.serve(Promise.all([submitted, dropped]));
    expect(desk.log).toEqual(['submit a', 'drop a']);
  });

  it(`holds for every hash in a random mix, one answer each (MEMPOOL_TEST_SEED=${seed})`, async () => {
    const chance = new Random(seed);
    const { desk, call, coalescer } = start({ maxBatch: 7 });
    const lanes = ['one', 'two', 'three'].map((verb, i) => desk.lane(verb, i > 0));
    const made = new Map<string, string[]>();
    const all: Promise<unknown>[] = [];
    for (let i = 0; i < 2_000; i++) {
      const item = `h${chance.below(40)}`;
      const lane = chance.pick(lanes);
      all.push(call(lane, item, chance.below(10) === 0 ? { operationId: `${i}` } : {}));
      made.set(item, [...(made.get(item) ?? []), lane.name]);
      if (chance.below(50) === 0) all.push(coalescer.whole(async () => 'whole', undefined));
      if (chance.below(30) === 0) await new Promise(setImmediate);
      for (const sent of desk.sent) if (chance.below(3) === 0) sent.answer();
    }
    await desk.serve(Promise.all(all));
    const sent = new Map<string, string[]>();
    for (const { verb, items } of desk.sent)
      for (const item of items) sent.set(item, [...(sent.get(item) ?? []), verb]);
    expect(sent).toEqual(made);
  });
});

describe('a call with an operation id (X2)', () => {
  it('shares its store call with nobody and keeps its place', async () => {
    const { desk, call } = start();
    const submit = desk.lane('submit', false);
    const all = Promise.all([call(submit, 'a'), call(submit, 'b', { operationId: 'op' }), call(submit, 'c')]);
    await desk.serve(all);
    expect(desk.log).toEqual(['submit a', 'submit b', 'submit c']);
    expect(desk.sent.map(({ options }) => options.operationId)).toEqual([undefined, 'op', undefined]);
  });
});

describe('a call of the whole pool', () => {
  it('begins after all before it and ends before all behind it', async () => {
    const { desk, coalescer, call } = start();
    const mark = desk.lane('mark');
    const confirm = desk.lane('confirm');
    const before = call(mark, 'a');
    const whole = coalescer.whole(() => confirm.send(['block'], {}), undefined);
    const behind = call(mark, 'b');
    await desk.until(1);
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['mark a']);
    desk.sent[0]?.answer();
    await desk.until(2);
    const late = call(mark, 'c');
    await new Promise(setImmediate);
    expect(desk.log).toEqual(['mark a', 'confirm block']);
    await desk.serve(Promise.all([before, whole, behind, late]));
    expect(desk.log).toEqual(['mark a', 'confirm block', 'mark b,c']);
  });

  it('that fails holds nobody up', async () => {
    const { desk, coalescer, call } = start();
    const failing = coalescer.whole(() => Promise.reject(full), undefined);
    const behind = call(desk.lane('mark'), 'b');
    await expect(failing).rejects.toBe(full);
    await desk.serve(behind);
    expect(await behind).toBe('B');
  });

  it('is taken out by its signal while it waits', async () => {
    const { desk, coalescer, call } = start();
    const before = call(desk.lane('mark'), 'a');
    const abort = new AbortController();
    let ran = false;
    const run = async (): Promise<void> => {
      ran = true;
    };
    const whole = coalescer.whole(run, abort.signal);
    abort.abort(new Error('not now'));
    await expect(whole).rejects.toThrow('not now');
    await desk.serve(before);
    await coalescer.close();
    expect(ran).toBe(false);
  });
});
