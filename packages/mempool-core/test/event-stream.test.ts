import { describe, expect, it } from 'vitest';
import { MempoolError } from '../src/errors.ts';
import { EventStream } from '../src/event-stream.ts';
import type { EventPage, EventSource, MempoolEvent } from '../src/events.ts';
import { EventLog } from './event-log.ts';

interface Reader {
  readonly stream: EventStream;
  readonly ended: boolean;
  read(count: number): Promise<(number | string)[]>;
}

/** A stream on the log, and its events as numbers; `lagged` ones as text. */
function open(log: EventLog, after = 0, signal?: AbortSignal): Reader {
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const stream = new EventStream(log, { after, epoch: log.readEvents(0, 1).epoch }, signal, onEnd);
  const iterator = stream[Symbol.asyncIterator]();
  return {
    stream,
    get ended() {
      return ended;
    },
    async read(count) {
      const told: (number | string)[] = [];
      while (told.length < count) {
        const { value, done } = await iterator.next();
        told.push(done === true ? 'end' : name(value));
        if (done === true) break;
      }
      return told;
    },
  };
}

function name(event: MempoolEvent): number | string {
  return event.kind === 'lagged' ? `lagged ${event.missed}` : event.eventSeq;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

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

  it('by drain gives what was committed before, then the end', async () => {
    const log = new EventLog();
    const reader = open(log);
    log.commit(1_500);
    await reader.stream.drain();
    log.commit(1);
    expect(await reader.read(1_501)).toEqual([...range(1, 1_500), 'end']);
    expect([reader.ended, log.listeners.size]).toEqual([true, 0]);
  });

  it('by drain ends where the store cannot be read', async () => {
    const log = new EventLog();
    const reader = open(log);
    log.fail(new Error('no store'));
    await reader.stream.drain();
    expect(await reader.read(1)).toEqual(['end']);
  });

  it('by drain does not wait for events that a new store will never have', async () => {
    const log = new ForgetfulLog();
    log.commit(5);
    const reader = open(log);
    await reader.stream.drain();
    expect(await reader.read(2)).toEqual(['lagged 0', 'end']);
  });

  it('by drain does not wait for the end of what others commit meanwhile', async () => {
    const log = new BusyLog();
    log.commit(2);
    const reader = open(log);
    const before = log.last;
    await reader.stream.drain();
    expect(log.last).toBeLessThan(before + 5);
    expect(await reader.read(before)).toEqual(range(1, before));
    expect(reader.ended).toBe(true);
  });

  it('by drain gives what was committed while an earlier page was under way', async () => {
    const log = new EventLog();
    const stream = new EventStream(late(log), { after: 0, epoch: 'first' }, undefined, () => undefined);
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    log.commit(2);
    await stream.drain();
    expect(await first).toMatchObject({ value: { eventSeq: 1 } });
    expect(await events.next()).toMatchObject({ value: { eventSeq: 2 } });
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('by drain says what was lost before', async () => {
    const log = new EventLog();
    log.commit(5);
    const reader = open(log, 5);
    log.startOver();
    log.commit(2);
    await reader.stream.drain();
    expect(await reader.read(4)).toEqual(['lagged 0', 1, 2, 'end']);
  });
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

/** Until the log was asked once more. */
async function untilRead(log: EventLog): Promise<void> {
  for (const before = log.reads; log.reads === before; ) await new Promise(setImmediate);
}
