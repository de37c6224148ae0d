import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import { MempoolError } from '../../src/contract/errors.ts';
import type { BatchedVerb } from '../../src/mempool/call-list.ts';
import { start } from './desk.ts';

const full = new MempoolError('ERR_MEMPOOL_STORE_FULL', 'as planned');
const invalid = new MempoolError('ERR_MEMPOOL_INVALID', 'as planned');

describe('calls made in one turn', () => {
  it('are cut at the most transactions and at the most bytes, one at least (O6)', async () => {
    const { desk, call, mark } = start({ maxBatch: 3, maxBatchBytes: 10 });
    const small = ['a', 'b', 'c', 'd'].map((item) => call(mark, item));
    const large = ['x', 'y', 'z'].map((item, i) => call(mark, item, {}, [6, 6, 99][i]));
    await desk.serve(Promise.all([...small, ...large]));
    expect(desk.log).toEqual(['mark a,b,c', 'mark d,x', 'mark y', 'mark z']);
  });

  it('do not wait for a store call under way, but for the second one', async () => {
    const { desk, call, mark } = start();
    for (const [i, item] of ['a', 'b'].entries()) {
      void call(mark, item);
      await desk.until(i + 1);
    }
    const [c, d] = [call(mark, 'c'), call(mark, 'd')];
    await turn();
    expect(desk.log).toEqual(['mark a', 'mark b']);
    await desk.serve(Promise.all([c, d]));
    expect(desk.log).toEqual(['mark a', 'mark b', 'mark c,d']);
  });

  it('let timers run between store calls, however many calls are made', async () => {
    const { desk, call, coalescer, mark } = start();
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
    const { desk, call, submit, mark } = start();
    const all = ['a', 'b', 'c'].flatMap((item) => [call(submit, item), call(mark, item)]);
    await desk.until(1);
    await turn();
    expect(desk.log).toEqual(['submit a,b,c']);
    await desk.serve(Promise.all(all));
    expect(desk.log).toEqual(['submit a,b,c', 'mark a,b,c']);
  });

  it('lets calls of other hashes pass one that must wait', async () => {
    const { desk, call, submit, mark } = start();
    void call(submit, 'a');
    await desk.until(1);
    const rest = [call(submit, 'b'), call(mark, 'x'), call(mark, 'a')];
    await desk.until(2);
    await turn();
    expect(desk.log).toEqual(['submit a', 'mark x']);
    await desk.serve(Promise.all(rest));
    expect(desk.log).toEqual(['submit a', 'mark x', 'submit b', 'mark a']);
  });

  it('never has two store calls under way in a lane whose order shows (L1)', async () => {
    const { desk, call, submit } = start({ maxBatch: 1 });
    const all = Promise.all([call(submit, 'a'), call(submit, 'b')]);
    await desk.until(1);
    await turn();
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
    await turn();
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
      if (chance.below(30) === 0) await turn();
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
    const { desk, call, submit } = start();
    const all = Promise.all([call(submit, 'a'), call(submit, 'b', { operationId: 'op' }), call(submit, 'c')]);
    await desk.serve(all);
    expect(desk.log).toEqual(['submit a', 'submit b', 'submit c']);
    expect(desk.sent.map(({ options }) => options.operationId)).toEqual([undefined, 'op', undefined]);
  });
});

describe('a call of the whole pool', () => {
  it('begins after all before it and ends before all behind it', async () => {
    const { desk, coalescer, call, mark } = start();
    const confirm = desk.lane('confirm');
    const before = call(mark, 'a');
    const whole = coalescer.whole(() => confirm.send(['block'], {}), undefined);
    const behind = call(mark, 'b');
    await desk.until(1);
    await turn();
    expect(desk.log).toEqual(['mark a']);
    desk.sent[0]?.answer();
    await desk.until(2);
    const late = call(mark, 'c');
    await turn();
    expect(desk.log).toEqual(['mark a', 'confirm block']);
    await desk.serve(Promise.all([before, whole, behind, late]));
    expect(desk.log).toEqual(['mark a', 'confirm block', 'mark b,c']);
  });

  it('is taken out by its signal while it waits', async () => {
    const { desk, coalescer, call, mark } = start();
    const before = call(mark, 'a');
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

describe('failure', () => {
  it('of one transaction rejects its caller alone: halves find it (M2)', async () => {
    const { desk, call, mark } = start();
    const refuseC: BatchedVerb<string, string> = {
      ...mark,
      send: (items, options) => (items.includes('c') ? Promise.reject(invalid) : mark.send(items, options)),
    };
    const all = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((item) => call(refuseC, item)));
    await desk.serve(all);
    const told = (await all).map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
    expect(told).toEqual(['A', 'B', invalid, 'D', 'E']);
  });

  it('of the store rejects all who shared the call, and it is not sent again', async () => {
    const { desk, call, mark } = start();
    const all = Promise.allSettled(['a', 'b'].map((item) => call(mark, item)));
    await desk.until(1);
    desk.sent[0]?.fail(full);
    expect(await all).toEqual(Array(2).fill({ status: 'rejected', reason: full }));
    expect(desk.log).toEqual(['mark a,b']);
  });

  it('to answer each transaction is the store’s fault', async () => {
    const { call } = start();
    const lane: BatchedVerb<string, string> = { name: 'mark', overlaps: true, kind: 'write', send: async () => [] };
    await expect(call(lane, 'a')).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
  });
});

describe('limits and ends', () => {
  it('more than maxQueued waiting calls are refused as BUSY, until some were sent (O6)', async () => {
    const { desk, call, mark } = start({ maxQueued: 2 });
    const waiting = [call(mark, 'a'), call(mark, 'b')];
    await expect(call(mark, 'c')).rejects.toMatchObject({ code: 'ERR_MEMPOOL_BUSY', retryable: true });
    await desk.until(1);
    const later = call(mark, 'c');
    await desk.serve(Promise.all([...waiting, later]));
    expect(await later).toBe('C');
  });

  it('close sends what was accepted, resolves when it was answered, and takes no more (R2)', async () => {
    const { desk, call, coalescer, mark } = start();
    const last = call(mark, 'a');
    let closed = false;
    const closing = coalescer.close().then(() => {
      closed = true;
    });
    await expect(call(mark, 'b')).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
    await desk.until(1);
    expect(closed).toBe(false);
    desk.sent[0]?.answer();
    expect(await last).toBe('A');
    await closing;
  });
});

/** One who may abort, with a reason of his own. */
function caller(name: string) {
  const abort = new AbortController();
  const reason = new Error(name);
  return { options: { signal: abort.signal }, reason, abort: () => abort.abort(reason) };
}

describe('callers who share a store call and abort (R3)', () => {
  it('are taken out before it is sent', async () => {
    const { desk, call, mark } = start();
    const first = caller('first');
    const calls = [call(mark, 'a', first.options), call(mark, 'b')];
    first.abort();
    await expect(calls[0]).rejects.toBe(first.reason);
    await desk.serve(Promise.allSettled(calls));
    expect(desk.log).toEqual(['mark b']);
  });

  it('end a write when all of them have, each with his own reason', async () => {
    const { desk, call, mark } = start();
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(mark, 'a', first.options), call(mark, 'b', second.options)];
    const told = Promise.allSettled(calls);
    await desk.until(1);
    const [sent] = desk.sent;
    first.abort();
    expect(sent?.options.signal?.aborted).toBe(false);
    second.abort();
    expect(sent?.options.signal?.aborted).toBe(true);
    sent?.fail(sent.options.signal?.reason);
    expect(await told).toMatchObject([{ reason: first.reason }, { reason: second.reason }]);
  });

  it('get the answer of a write that the store had taken', async () => {
    const { desk, call, mark } = start();
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(mark, 'a', first.options), call(mark, 'b', second.options)];
    await desk.until(1);
    first.abort();
    second.abort();
    desk.sent[0]?.answer();
    expect(await Promise.all(calls)).toEqual(['A', 'B']);
    expect([first, second].map(({ options: { signal } }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  });

  it('end each his own read at once, and the store’s when all have', async () => {
    const { desk, call } = start();
    const look = desk.lane('look', true, 'read');
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(look, 'a', first.options), call(look, 'b', second.options)];
    await desk.until(1);
    first.abort();
    await expect(calls[0]).rejects.toBe(first.reason);
    expect(desk.sent[0]?.options.signal?.aborted).toBe(false);
    second.abort();
    await expect(calls[1]).rejects.toBe(second.reason);
    expect(desk.sent[0]?.options.signal?.aborted).toBe(true);
  });
});
