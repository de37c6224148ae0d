import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MempoolError } from '../../src/contract/errors.ts';
import { start } from './desk.ts';

/** One who may abort, with a reason of his own. */
function caller(name: string) {
  const abort = new AbortController();
  const reason = new Error(name);
  return { signal: abort.signal, reason, abort: () => abort.abort(reason) };
}

describe('callers who share a store call and abort (R3)', () => {
  it('are taken out before it is sent', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const first = caller('first');
    const calls = [call(mark, 'a', { signal: first.signal }), call(mark, 'b')];
    first.abort();
    await expect(calls[0]).rejects.toBe(first.reason);
    await desk.serve(Promise.allSettled(calls));
    expect(desk.log).toEqual(['mark b']);
  });

  it('end a write when all of them have, each with his own reason', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(mark, 'a', { signal: first.signal }), call(mark, 'b', { signal: second.signal })];
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
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(mark, 'a', { signal: first.signal }), call(mark, 'b', { signal: second.signal })];
    await desk.until(1);
    first.abort();
    second.abort();
    desk.sent[0]?.answer();
    expect(await Promise.all(calls)).toEqual(['A', 'B']);
    expect([first, second].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
  });

  it('do not end a write of somebody who has no signal', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const first = caller('first');
    const calls = [call(mark, 'a', { signal: first.signal }), call(mark, 'b')];
    await desk.until(1);
    first.abort();
    expect(desk.sent[0]?.options.signal).toBeUndefined();
    desk.sent[0]?.answer();
    expect(await Promise.all(calls)).toEqual(['A', 'B']);
  });

  it('end each his own read at once, and the store’s when all have', async () => {
    const { desk, call } = start();
    const look = desk.lane('look', true, 'read');
    const [first, second] = [caller('first'), caller('second')];
    const calls = [call(look, 'a', { signal: first.signal }), call(look, 'b', { signal: second.signal })];
    await desk.until(1);
    first.abort();
    await expect(calls[0]).rejects.toBe(first.reason);
    expect(desk.sent[0]?.options.signal?.aborted).toBe(false);
    second.abort();
    await expect(calls[1]).rejects.toBe(second.reason);
    expect(desk.sent[0]?.options.signal?.aborted).toBe(true);
  });

  it('leave a half that is sent again when all of it have', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
    const first = caller('first');
    const calls = [call(mark, 'a', { signal: first.signal }), call(mark, 'b')];
    const told = Promise.allSettled(calls);
    await desk.until(1);
    first.abort();
    desk.sent[0]?.fail(new MempoolError('ERR_MEMPOOL_INVALID', 'as planned'));
    await desk.until(2);
    expect(desk.sent[1]).toMatchObject({ items: ['a'], options: { signal: { aborted: true } } });
    desk.sent[1]?.fail(desk.sent[1].options.signal?.reason);
    await desk.until(3);
    desk.sent[2]?.answer();
    expect(await told).toMatchObject([{ reason: first.reason }, { value: 'B' }]);
  });
});
