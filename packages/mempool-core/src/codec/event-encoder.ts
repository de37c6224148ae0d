import { causes } from '../contract/cause.ts';
import { reasonText } from '../contract/drop-reason.ts';
import type { StepEvent } from '../contract/events.ts';
import { knownStages } from '../contract/transaction.ts';
import { encodePoint, encodeValue, hashToBytes } from './codec.ts';

/** The stages of events. The index of a stage is its code: never reorder. */
export const eventStages: readonly [...typeof knownStages, 'Unknown'] = [...knownStages, 'Unknown'];

/** The actions of block events. The index of an action is its code: never reorder. */
export const blockActions = ['applied', 'undone'] as const;

/**
 * The kinds of `ready` and `parked` events: ready, or the reason for parking. The index is the code of a kind, so never
 * reorder. A version that does not know a code reports the event as lost.
 */
export const placeCodes = ['ready', 'missing', 'held', 'below-floor'] as const;

/** Number of array elements of a transaction event. */
export const transactionElements = 13;
/** Number of array elements of the event of a replaced transaction. The additional one is the hash that replaced it. */
export const replacedElements = 14;
export const blockElements = 5;
/** Number of array elements of a `ready` or `parked` event. */
export const placeElements = 3;

type TransactionStep = Extract<StepEvent, { kind: 'transaction' }>;

/** Encodes the events of one call as one CBOR array, without their time, which is stored once for the call. */
export function encodeEvents(events: readonly StepEvent[]): Buffer {
  return encodeValue(events.map(eventRow));
}

function eventRow(event: StepEvent): readonly unknown[] {
  switch (event.kind) {
    case 'transaction':
      return transactionRow(event);
    case 'block': {
      const { action, point, tick, nodeId, term } = event;
      return [blockActions.indexOf(action), encodePoint(point), tick, nodeId, term];
    }
    case 'ready':
      return [hashToBytes(event.hash), event.seq, placeCodes.indexOf('ready')];
    case 'parked':
      return [hashToBytes(event.hash), event.seq, placeCodes.indexOf(event.reason)];
  }
}

function transactionRow(event: TransactionStep): readonly unknown[] {
  const { hash, seq, stage, previous, confirmations, nonConfirmations, point, reason, replacedBy } = event;
  const row = [
    hashToBytes(hash),
    seq,
    eventStages.indexOf(stage),
    eventStages.indexOf(previous.stage),
    previous.confirmations,
    previous.nonConfirmations,
    confirmations,
    nonConfirmations,
    point === null ? null : encodePoint(point),
    reason === null ? null : reasonText(reason),
    causes.indexOf(event.cause),
    event.attempts,
    event.receivedAt,
  ];
  return replacedBy === undefined ? row : [...row, hashToBytes(replacedBy)];
}
