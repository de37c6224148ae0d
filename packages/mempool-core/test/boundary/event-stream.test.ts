import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/boundary/event-stream.ts';
import { MempoolError } from '../../src/contract/errors.ts';
import type { EventPage, EventSource } from '../../src/contract/events.ts';
import { EventLog, open, range } from './event-log.ts';

describe('an event stream (E3)', () => {
  it('answers several who ask at once in the order asked, whether events are there or still to come', async () => {
    const log = new EventLog();
    const iterator = open({ log }).stream[Symbol.asyncIterator]();
    const asked = [iterator.next(), iterator.next(), iterator.next()];
    log.commit(5);
    const first = await Promise.all(asked);
    const later = await Promise.all([iterator.next(), iterator.next()]);
    expect([...first, ...later].map(({ value }) => value?.kind === 'block' && value.eventSeq)).toEqual(range(1, 5));
  });

  it('hands out nothing to who has left, although events are there', async () => {
    const log = new EventLog();
    log.commit(3);
    const iterator = open({ log }).stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('says how many were lost where nothing is kept any more', async () => {
    const log = new EventLog();
    log.commit(5);
    log.trim(0);
    const { read } = open({ log, after: 2 });
    expect(await read(1)).toEqual(['lagged 3']);
    log.commit(1);
    expect(await read(1)).toEqual([6]);
  });

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
    await untilRead(reader.log);
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
  it('by break frees its listener at once', async () => {
    const { log, stream } = open({ committed: 3 });
    for await (const _ of stream) break;
    expect(log.listeners.size).toBe(0);
  });

  it('by return wakes a reader that waits', async () => {
    const { log, stream } = open();
    const iterator = stream[Symbol.asyncIterator]();
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(log.listeners.size).toBe(0);
  });

  it('by abort rejects with the signal’s reason, for a waiting reader and a later one', async () => {
    const log = new EventLog();
    const abort = new AbortController();
    const reason = new Error('enough');
    const { stream } = open({ log, signal: abort.signal });
    const next = stream[Symbol.asyncIterator]().next();
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toBe(reason);
    expect(log.listeners.size).toBe(0);
  });

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
  it('gives what was committed before, then the end', async () => {
    const reader = open();
    reader.log.commit(1_500);
    await reader.stream.drain();
    reader.log.commit(1);
    expect(await reader.read(1_501)).toEqual([...range(1, 1_500), 'end']);
    expect([reader.ended, reader.log.listeners.size]).toEqual([true, 0]);
  });

  it('ends where the store cannot be read', async () => {
    const reader = open();
    reader.log.fail(new Error('no store'));
    await reader.stream.drain();
    expect(await reader.read(1)).toEqual(['end']);
  });

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

  it('gives what was committed while an earlier page was under way', async () => {
    const log = new EventLog();
    const stream = new EventStream(late(log), { after: 0, epoch: 'first', rewinds: 0 }, undefined, () => undefined);
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    log.commit(2);
    await stream.drain();
    expect(await first).toMatchObject({ value: { eventSeq: 1 } });
    expect(await events.next()).toMatchObject({ value: { eventSeq: 2 } });
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('says what was lost before', async () => {
    const reader = open({ committed: 5, after: 5 });
    reader.log.startOver();
    reader.log.commit(2);
    await reader.stream.drain();
    expect(await reader.read(4)).toEqual(['lagged 0', 1, 2, 'end']);
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

  it('are all missed where nothing readable follows yet', async () => {
    const reader = open({ committed: 2 });
    reader.log.damage(1, 2);
    const told = reader.read(2);
    reader.log.commit(1);
    expect(await told).toEqual(['lagged 2', 3]);
  });
});

/** Until the log was asked once more. */
async function untilRead(log: EventLog): Promise<void> {
  for (const before = log.reads; log.reads === before; ) await new Promise(setImmediate);
}

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

/** The log's pages as they were when asked for, answered late; its last number at once. */
function late(log: EventLog): EventSource {
  return {
    readEvents: async (after, limit) => {
      const page = log.readEvents(after, limit);
      if (after !== Number.MAX_SAFE_INTEGER) await new Promise(setImmediate);
      return page;
    },
    onEvents: (listener) => log.onEvents(listener),
  };
}
