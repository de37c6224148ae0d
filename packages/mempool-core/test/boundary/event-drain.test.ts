import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/boundary/event-stream.ts';
import type { EventPage, EventSource } from '../../src/contract/events.ts';
import { EventLog } from './event-log.ts';
import { open, range } from './event-reader.ts';

describe('draining a stream (E4)', () => {
  it('gives what was committed before, then the end', async () => {
    const log = new EventLog();
    const reader = open(log);
    log.commit(1_500);
    await reader.stream.drain();
    log.commit(1);
    expect(await reader.read(1_501)).toEqual([...range(1, 1_500), 'end']);
    expect([reader.ended, log.listeners.size]).toEqual([true, 0]);
  });

  it('ends where the store cannot be read', async () => {
    const log = new EventLog();
    const reader = open(log);
    log.fail(new Error('no store'));
    await reader.stream.drain();
    expect(await reader.read(1)).toEqual(['end']);
  });

  it('does not wait for events that a new store will never have', async () => {
    const log = new ForgetfulLog();
    log.commit(5);
    const reader = open(log);
    await reader.stream.drain();
    expect(await reader.read(2)).toEqual(['lagged 0', 'end']);
  });

  it('does not wait for the end of what others commit meanwhile', async () => {
    const log = new BusyLog();
    log.commit(2);
    const reader = open(log);
    const before = log.last;
    await reader.stream.drain();
    expect(log.last).toBeLessThan(before + 5);
    expect(await reader.read(before)).toEqual(range(1, before));
    expect(reader.ended).toBe(true);
  });

  it('gives what was committed while an earlier page was under way', async () => {
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

  it('says what was lost before', async () => {
    const log = new EventLog();
    log.commit(5);
    const reader = open(log, 5);
    log.startOver();
    log.commit(2);
    await reader.stream.drain();
    expect(await reader.read(4)).toEqual(['lagged 0', 1, 2, 'end']);
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
