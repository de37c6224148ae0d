import type { StepEvent, StoreEvent } from '../contract/events.ts';
import { NumberedList } from './numbered-list.ts';

/** An event as a step has it, with the time of its call. */
interface Kept {
  readonly event: StepEvent;
  readonly at: number;
}

/** The newest events of a pool in memory. */
export class EventLog extends NumberedList<Kept> {
  /** The latest time of a call; 0 before the first. */
  lastAt = 0;

  add(event: StepEvent, at: number): void {
    this.push({ event, at });
    if (at > this.lastAt) this.lastAt = at;
  }

  /** Removes the oldest events beyond `size`. */
  trim(size: number): void {
    while (this.length > size) this.shift();
  }

  /** Copies of at most `limit` events, from this number on. */
  copies(number: number, limit: number): StoreEvent[] {
    return this.page(number, limit).map(copyOf);
  }
}

function copyOf({ event, at }: Kept): StoreEvent {
  if (event.kind === 'block') return { ...event, at, point: { ...event.point } };
  if (event.kind !== 'transaction') return { ...event, at };
  const { previous, point, reason, receivedAt } = event;
  return {
    ...event,
    at,
    previous: { ...previous },
    point: point && { ...point },
    reason: typeof reason === 'object' ? reason && { ...reason } : reason,
    // In a step, 0 stands for the time of the call (E5).
    receivedAt: receivedAt === 0 ? at : receivedAt,
  };
}
