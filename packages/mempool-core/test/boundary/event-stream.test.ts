import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/boundary/event-stream.ts';
import { MempoolError } from '../../src/contract/errors.ts';
import type { EventPage, EventSource } from '../../src/contract/events.ts';
import { EventLog, open, range } from './event-log.ts';

describe('an event stream (E3)', () => {
  it('notices a store that went back in time while it waits', async () => {
    const { log, read } = open({ committed: 5, after: 5 });
    const next = read(2);
    log.startOver();
    log.commit(1);
    expect(await next).toEqual(['lagged 0', 1]);
  });

  it('notices a new store although the numbers fit', async () => {
    const { log, read } = open({ committed: 2, after: 2 });
    log.startOver();
    log.commit(3);
    expect(await read(4)).toEqual(['lagged 0', 1, 2, 3]);
  });

  it('outlives a store out of reach', async () => {
    const reader = open({ committed: 1 });
    reader.log.fail(new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'gone for now'));
    const next = reader.read(2);
    await expect.poll(() => reader.log.reads).toBeGreaterThan(2);
    reader.log.fail(null);
    reader.log.commit(1);
    expect(await next).toEqual([1, 2]);
  });

  it('ends with an error that will not pass, and frees its listener', async () => {
    const reader = open();
    const broken = new MempoolError('ERR_MEMPOOL_CORRUPT', 'damaged');
    reader.log.fail(broken);
    await expect(reader.read(1)).rejects.toBe(broken);
    expect([reader.ended, reader.log.listeners.size]).toEqual([true, 0]);
  });
});

describe('ending a stream (E4)', () => {
  it('by abort or return does not wait for a page that the store keeps', async () => {
    const log = new EventLog();
    const silent: EventSource = {
      readEvents: () => new Promise(() => undefined),
      onEvents: (listener) => log.onEvents(listener),
    };
    const start = { after: 0, epoch: 'first', rewinds: 0 };
    const abort = new AbortController();
    const reason = new Error('enough');
    const next = new EventStream(silent, start, abort.signal, () => undefined)[Symbol.asyncIterator]().next();
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    const events = new EventStream(silent, start, undefined, () => undefined)[Symbol.asyncIterator]();
    const last = events.next();
    await events.return?.();
    expect(await last).toEqual({ done: true, value: undefined });
    expect(log.listeners.size).toBe(0);
  });
});

describe('draining a stream (E4)', () => {
  it('does not wait for events that a new store will never have', async () => {
    const log = new ForgetfulLog();
    log.commit(5);
    const reader = open({ log });
    await reader.stream.drain();
    expect(await reader.read(2)).toEqual(['lagged 0', 'end']);
  });

  it('does not wait for the end of what others commit meanwhile', async () => {
    const log = new BusyLog();
    log.commit(2);
    const reader = open({ log });
    const before = log.last;
    await reader.stream.drain();
    expect(log.last).toBeLessThan(before + 5);
    expect(await reader.read(before)).toEqual(range(1, before));
    expect(reader.ended).toBe(true);
  });
});

it('a backend that withholds what it says it has ends the stream with an error, not with an endless loop', async () => {
  const log = new WithholdingLog();
  log.commit(1);
  const reader = open({ log });
  await expect(reader.read(1)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
});

describe('damaged events', () => {
  it('are said to be missed, and the stream goes on behind them', async () => {
    const reader = open({ committed: 5 });
    reader.log.damage(1, 2, 3);
    expect(await reader.read(3)).toEqual(['lagged 3', 4, 5]);
  });
});

class WithholdingLog extends EventLog {
  override readEvents(after: number, limit: number): EventPage {
    return { ...super.readEvents(after, limit), events: [] };
  }
}

/** Starts over as soon as somebody has asked for its last number. */
class ForgetfulLog extends EventLog {
  override readEvents(after: number, limit: number): EventPage {
    const page = super.readEvents(after, limit);
    if (after === Number.MAX_SAFE_INTEGER) this.startOver();
    return page;
  }
}

/** Gets another event each time it is asked. */
class BusyLog extends EventLog {
  last = 0;

  override commit(count: number): void {
    super.commit(count);
    this.last += count;
  }

  override readEvents(after: number, limit: number): EventPage {
    if (this.last > 500) throw new Error('it is asked without end');
    this.commit(1);
    return super.readEvents(after, limit);
  }
}
