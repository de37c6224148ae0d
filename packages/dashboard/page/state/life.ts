import type { TransactionEvent } from 'mempool-core';
import { formatCount } from '../format/numbers.ts';
import { causeText, reasonText } from '../format/words.ts';
import type { LifeEvent, WireStatus } from '../wire/answers.ts';

/** One step of a life. */
export interface LifeStep {
  readonly eventSeq: number;
  readonly at: number;
  readonly stage: LifeEvent['stage'];
  readonly title: string;
  /** Further words; empty if there are none. */
  readonly detail: string;
  /** `back`: it returned to an earlier stage. */
  readonly mood: 'forward' | 'back' | 'end';
  /** Since the step before, in milliseconds; `null` for the first. */
  readonly afterMs: number | null;
}

/** The steps of a life, oldest first. */
export function stepsOf(events: readonly LifeEvent[]): LifeStep[] {
  return events.map((event, i) => {
    const { eventSeq, at, stage } = event;
    const before = events[i - 1];
    const afterMs = before === undefined ? null : at - before.at;
    return { eventSeq, at, stage, title: titleOf(event), detail: detailOf(event), mood: moodOf(event), afterMs };
  });
}

function titleOf({ stage, cause, previous }: LifeEvent): string {
  if (cause === 'received' && stage === 'Pending') return previous.stage === 'Unknown' ? 'Received' : 'Received again';
  if (cause === 'rolled-back') return 'Returned: its block was undone';
  if (stage === 'Dropped') return 'Dropped';
  if (stage === 'Pending') return `Returned: ${causeText(cause)}`;
  return stageTitles[stage];
}

const stageTitles = {
  Pending: 'Pending',
  Propagated: 'Sent',
  Acknowledged: 'Acknowledged',
  Confirmed: 'Confirmed',
  Finalized: 'Finalized',
  Dropped: 'Dropped',
} as const;

function detailOf({ stage, cause, reason, point, attempts, confirmations }: LifeEvent): string {
  switch (stage) {
    case 'Propagated':
      return `attempt ${formatCount(attempts)}${cause === 'taken' ? ', taken by a claim' : ''}`;
    case 'Acknowledged':
      return 'by peers';
    case 'Confirmed':
      return point === null ? '' : `in the block of slot ${formatCount(point.slot)}`;
    case 'Finalized':
      return cause === 'completed' ? causeText(cause) : `${formatCount(confirmations)} confirmations`;
    case 'Dropped':
      return reason === null ? causeText(cause) : reasonText(reason);
    case 'Pending':
      return '';
  }
}

function moodOf({ stage, cause }: LifeEvent): LifeStep['mood'] {
  if (stage === 'Finalized' || stage === 'Dropped') return 'end';
  return stage === 'Pending' && cause !== 'received' ? 'back' : 'forward';
}

/** The stages of a life that goes well, and how far this one is. */
export function trackOf({ stage }: Pick<WireStatus, 'stage'>): readonly TrackStage[] {
  const names: WireStatus['stage'][] = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed', 'Finalized'];
  const reached = names.indexOf(stage);
  return names.map((name, i) => ({ name, state: i < reached ? 'past' : i === reached ? 'present' : 'ahead' }));
}

export interface TrackStage {
  readonly name: string;
  readonly state: 'past' | 'present' | 'ahead';
}

/** The history with an event that came since; one that is there already is passed over. */
export function historyWith(events: readonly LifeEvent[], event: TransactionEvent): readonly LifeEvent[] {
  return (events.at(-1)?.eventSeq ?? 0) < event.eventSeq ? [...events, event] : events;
}

/** How often the life went back because a block was undone. */
export function rollbacksOf(events: readonly LifeEvent[]): number {
  return events.filter(({ cause }) => cause === 'rolled-back').length;
}

/** A hash as the API writes it; `null` if the text is none. */
export function hashIn(text: string): string | null {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  return /^(?:[0-9a-f]{2}){1,64}$/.test(digits) ? digits : null;
}
