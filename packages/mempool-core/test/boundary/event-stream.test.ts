import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/boundary/event-stream.ts';
import { MempoolError } from '../../src/contract/errors.ts';
import type { EventPage, EventSource } from '../../src/contract/events.ts';
import { EventLog } from './event-log.ts';
import { open, range } from './event-reader.ts';

describe('an event stream (E3)', () => {
  it('gives every event in order, over page ends', async () => {
    const log = new EventLog();
    log.commit(2_500);
    expect(await open(log).read(2_500)).toEqual(range(1, 2_500));
  });

  it('resumes behind a number without gap or duplicate', async () => {
    const log = new EventLog();
    log.commit(10);
    expect(await open(log, 7).read(3)).toEqual([8, 9, 10]);
  });

  it('answers several who ask at once in the order asked, whether events are there or still to come', async () => {
    const log = new EventLog();
    const iterator = open(log).stream[Symbol.asyncIterator]();
    const asked = [iterator.next(), iterator.next(), iterator.next()];
    log.commit(5);
    const first = await Promise.all(asked);
    const later = await Promise.all([iterator.next(), iterator.next()]);
    expect([...first, ...later].map(({ value }) => value?.kind === 'block' && value.eventSeq)).toEqual(range(1, 5));
  });

  it('hands out nothing to who has left, although events are there', async () => {
    const log = new EventLog();
    log.commit(3);
    const iterator = open(log).stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it('waits for the next commit', async () => {
    const log = new EventLog();
    const { read } = open(log);
    const next = read(2);
    log.commit(1);
    log.commit(1);
    expect(await next).toEqual([1, 2]);
  });

  it('gives two readers the same events, each at its own pace', async () => {
    const log = new EventLog();
    const [quick, slow] = [open(log), open(log)];
    log.commit(3);
    expect(await quick.read(3)).toEqual([1, 2, 3]);
    log.commit(2);
    expect(await slow.read(5)).toEqual([1, 2, 3, 4, 5]);
    expect(await quick.read(2)).toEqual([4, 5]);
  });

  it('says once how many were lost where the log no longer reaches back, and goes on', async () => {
    const log = new EventLog();
    log.commit(100);
    log.trim(3);
    expect(await open(log, 10).read(4)).toEqual(['lagged 87', 98, 99, 100]);
  });

  it('says so to a reader that fell behind', async () => {
    const log = new EventLog();
    const { read } = open(log);
    log.commit(2);
    expect(await read(2)).toEqual([1, 2]);
    log.commit(50);
    log.trim(2);
    expect(await read(3)).toEqual(['lagged 48', 51, 52]);
  });

  it('says so where nothing is kept any more', async () => {
    const log = new EventLog();
    log.commit(5);
    log.trim(0);
    const { read } = open(log, 2);
    expect(await read(1)).toEqual(['lagged 3']);
    log.commit(1);
    expect(await read(1)).toEqual([6]);
  });

  it('notices a store that went back in time while it waits', async () => {
    const log = new EventLog();
    log.commit(5);
    const { read } = open(log, 5);
    const next = read(2);
    log.startOver();
    log.commit(1);
    expect(await next).toEqual(['lagged 0', 1]);
  });

  it('notices a new store although the numbers fit', async () => {
    const log = new EventLog();
    log.commit(2);
    const { read } = open(log, 2);
    log.startOver();
    log.commit(3);
    expect(await read(4)).toEqual(['lagged 0', 1, 2, 3]);
  });

  it('outlives a store out of reach', async () => {
    const log = new EventLog();
    log.commit(1);
    const reader = open(log);
    log.fail(new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'gone for now'));
    const next = reader.read(2);
    await untilRead(log);
    log.fail(null);
    log.commit(1);
    expect(await next).toEqual([1, 2]);
  });

  it('ends with an error that will not pass, and frees its listener', async () => {
    const log = new EventLog();
    const reader = open(log);
    const broken = new MempoolError('ERR_MEMPOOL_CORRUPT', 'damaged');
    log.fail(broken);
    await expect(reader.read(1)).rejects.toBe(broken);
    expect([reader.ended, log.listeners.size]).toEqual([true, 0]);
  });
});

describe('ending a stream (E4)', () => {
  it('by break frees its listener at once', async () => {
    const log = new EventLog();
    log.commit(3);
    const { stream } = open(log);
    for await (const _ of stream) break;
    expect(log.listeners.size).toBe(0);
  });

  it('by return wakes a reader that waits', async () => {
    const log = new EventLog();
    const { stream } = open(log);
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
    const { stream } = open(log, 0, abort.signal);
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
    const start = { after: 0, epoch: 'first' };
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

it('a backend that withholds what it says it has ends the stream with an error, not with an endless loop', async () => {
  const log = new WithholdingLog();
  log.commit(1);
  const reader = open(log);
  await expect(reader.read(1)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INTERNAL' });
});

describe('damaged events', () => {
  it('are said to be missed, and the stream goes on behind them', async () => {
    const log = new EventLog();
    log.commit(5);
    const reader = open(log);
    log.damage(1, 2, 3);
    expect(await reader.read(3)).toEqual(['lagged 3', 4, 5]);
  });

  it('are all missed where nothing readable follows yet', async () => {
    const log = new EventLog();
    log.commit(2);
    const reader = open(log);
    log.damage(1, 2);
    const told = reader.read(2);
    log.commit(1);
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
