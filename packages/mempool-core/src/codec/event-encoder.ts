import { causes } from '../contract/cause.ts';
import { reasonText } from '../contract/drop-reason.ts';
import type { StepEvent } from '../contract/events.ts';
import { type ChainPoint, knownStages } from '../contract/transaction.ts';
import { array, CborWriter, negative, uint } from './cbor-writer.ts';

/** Length of an encoded chain point, in bytes. */
export const pointBytes = 40;

/** The stages of events. The index of a stage is its code: never reorder. */
export const eventStages: readonly [...typeof knownStages, 'Unknown'] = [...knownStages, 'Unknown'];

/** The actions of block events. The index of an action is its code: never reorder. */
export const blockActions = ['applied', 'undone'] as const;

/**
 * The kinds of `ready` and `parked` events: ready, or the reason for parking. The index is the code of a kind, so never
 * reorder. A version that does not know a code reports the event as lost.
 */
export const placeCodes = ['ready', 'missing', 'held', 'below-floor'] as const;

/**
 * The most bytes of an event beside its reason and the hash of what replaced its transaction: a 64-byte hash, a point, nine numbers and
 * the CBOR heads. A block event with the name of its node is not longer.
 */
const longestEvent = 224;
/** Number of array elements of a transaction event. */
export const transactionElements = 13;
/** Number of array elements of the event of a replaced transaction. The additional one is the hash that replaced it. */
export const replacedElements = 14;
export const blockElements = 5;
/** Number of array elements of a `ready` or `parked` event. */
export const placeElements = 3;

type TransactionStep = Extract<StepEvent, { kind: 'transaction' }>;
type BlockStep = Extract<StepEvent, { kind: 'block' }>;
type PlaceStep = Extract<StepEvent, { kind: 'ready' | 'parked' }>;

/** Writes the events of one call. */
class EventEncoder {
  readonly #to: CborWriter;

  constructor(count: number, bytes: number) {
    this.#to = new CborWriter(longestEvent + bytes);
    this.#to.head(array, count);
  }

  get encoded(): Buffer {
    return this.#to.encoded;
  }

  add(event: StepEvent): void {
    switch (event.kind) {
      case 'transaction':
        this.#transaction(event);
        break;
      case 'block':
        this.#block(event);
        break;
      case 'ready':
      case 'parked':
        this.#place(event);
        break;
    }
  }

  #block({ action, point, tick, nodeId, term }: BlockStep): void {
    this.#to.head(array, blockElements);
    this.#to.head(uint, blockActions.indexOf(action));
    this.#point(point);
    this.#to.head(uint, tick);
    if (nodeId === null) this.#to.nothing();
    else this.#to.text(nodeId);
    this.#optionalLong(term);
  }

  #place(event: PlaceStep): void {
    this.#to.head(array, placeElements);
    this.#to.hash(event.hash);
    this.#to.head(uint, event.seq);
    this.#to.head(uint, placeCodes.indexOf(event.kind === 'ready' ? 'ready' : event.reason));
  }

  #transaction(event: TransactionStep): void {
    const { hash, seq, stage, previous, confirmations, nonConfirmations, point, reason, replacedBy } = event;
    this.#to.head(array, replacedBy === undefined ? transactionElements : replacedElements);
    this.#to.hash(hash);
    this.#to.head(uint, seq);
    this.#to.head(uint, eventStages.indexOf(stage));
    this.#to.head(uint, eventStages.indexOf(previous.stage));
    this.#count(previous.confirmations);
    this.#count(previous.nonConfirmations);
    this.#count(confirmations);
    this.#count(nonConfirmations);
    if (point === null) this.#to.nothing();
    else this.#point(point);
    if (reason === null) this.#to.nothing();
    else this.#to.text(reasonText(reason));
    this.#to.head(uint, causes.indexOf(event.cause));
    this.#to.head(uint, event.attempts);
    this.#optionalLong(event.receivedAt);
    if (replacedBy !== undefined) this.#to.hash(replacedBy);
  }

  #optionalLong(value: number | null): void {
    if (value === null) this.#to.nothing();
    else this.#to.head(uint, value);
  }

  #point(point: ChainPoint): void {
    this.#to.point(point, pointBytes);
  }

  /**
   * Writes a counter. A counter is a difference of ticks; it is negative if a damaged tick is greater than the tip's.
   */
  #count(value: number): void {
    if (value < 0) this.#to.head(negative, -1 - value);
    else this.#to.head(uint, value);
  }
}

/** Encodes the events of one call as one CBOR array, without their time, which is stored once for the call. */
export function encodeEvents(events: readonly StepEvent[]): Buffer {
  let bytes = 0;
  for (const event of events) bytes += longestEvent + (event.kind === 'transaction' ? rareBytes(event) : 0);
  const encoder = new EventEncoder(events.length, bytes);
  for (const event of events) encoder.add(event);
  return encoder.encoded;
}

/** At least the length of the reason, and of the hash that replaced it. */
function rareBytes({ reason, replacedBy = '' }: TransactionStep): number {
  return (reason === null ? 0 : 3 * reasonText(reason).length) + replacedBy.length;
}
