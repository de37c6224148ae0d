import { describe, expect, it } from 'vitest';
import { MempoolError } from '../../src/contract/errors.ts';
import type { BatchedVerb } from '../../src/mempool/call-list.ts';
import { start } from './desk.ts';

const invalid = new MempoolError('ERR_MEMPOOL_INVALID', 'as planned');
const full = new MempoolError('ERR_MEMPOOL_STORE_FULL', 'as planned');

describe('failure', () => {
  it('of one transaction rejects its caller alone: halves find it (M2)', async () => {
    const { desk, call } = start();
    const mark = desk.lane('mark');
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
    const { desk, call } = start();
    const mark = desk.lane('mark');
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
    const { desk, call } = start({ maxQueued: 2 });
    const mark = desk.lane('mark');
    const waiting = [call(mark, 'a'), call(mark, 'b')];
    await expect(call(mark, 'c')).rejects.toMatchObject({ code: 'ERR_MEMPOOL_BUSY', retryable: true });
    await desk.until(1);
    const later = call(mark, 'c');
    await desk.serve(Promise.all([...waiting, later]));
    expect(await later).toBe('C');
  });

  it('an aborted call makes room for another', async () => {
    const { desk, call } = start({ maxQueued: 1 });
    const mark = desk.lane('mark');
    const abort = new AbortController();
    const first = call(mark, 'a', { signal: abort.signal });
    abort.abort(new Error('not now'));
    await expect(first).rejects.toThrow('not now');
    const second = call(mark, 'b');
    await desk.serve(second);
    expect(desk.log).toEqual(['mark b']);
  });

  it('abort after sending lets the call complete (R3)', async () => {
    const { desk, call } = start();
    const abort = new AbortController();
    const marked = call(desk.lane('mark'), 'a', { signal: abort.signal });
    await desk.until(1);
    abort.abort(new Error('too late'));
    desk.sent[0]?.answer();
    expect(await marked).toBe('A');
  });

  it('an aborted signal queues nothing', async () => {
    const { call, coalescer, desk } = start();
    const reason = new Error('before');
    await expect(call(desk.lane('mark'), 'a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await coalescer.close();
    expect(desk.log).toEqual([]);
  });

  it('close sends what was accepted, resolves when it was answered, and takes no more (R2)', async () => {
    const { desk, call, coalescer } = start();
    const mark = desk.lane('mark');
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
