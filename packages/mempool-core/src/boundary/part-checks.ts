import { isBytes, isCount, isOptionalCount } from '../codec/codec.ts';
import { decodeEntry, encodeEntry } from '../codec/entry-record.ts';
import { isInBlock } from '../contract/lifecycle.ts';
import { namedLimits, type Ordering } from '../contract/limits.ts';
import { isLive, knownStages } from '../contract/transaction.ts';
import type { EndedPart, LivePart, NumbersPart, PoolPart } from '../contract/transfer.ts';
import { checkRecordName } from './record-arguments.ts';

/** Returns the part if a pool of this ordering may have it. @throws `TypeError` or another error if not */
export function checkPart(part: PoolPart, ordering: Ordering): PoolPart {
  switch (part.kind) {
    case 'live':
    case 'ended':
      return checkTransaction(part, ordering);
    case 'block':
      assert(isCount(part.tick) && isPoint(part.point) && part.sighted.every(isHash));
      return part;
    case 'numbers':
      return checkNumbers(part);
    case 'satisfied':
      assert(ordering === 'priority' && typeof part.tag === 'string' && isCount(part.tick));
      return part;
    case 'record':
      checkRecordName(part.record.name);
      assert(isCount(part.record.version) && isBytes(part.record.value));
      return part;
    case 'finish':
      assert(isCount(part.lastVersion) && isCount(part.lastEventSeq));
      return part;
    case 'start':
      throw new TypeError('the start is the first line');
    default:
      throw new TypeError('an unknown part');
  }
}

function checkTransaction<P extends LivePart | EndedPart>(part: P, ordering: Ordering): P {
  const { state, point, body, entry } = part;
  const { hash, seq, stage, tick, facts, reason } = state;
  const { receivedAt, attempts, sentAt } = facts;
  assert(isHash(hash) && [seq, tick, attempts, receivedAt].every(isCount) && isOptionalCount(sentAt));
  assert(knownStages.includes(stage) && isLive(stage) === (part.kind === 'live'));
  assert(stage === 'Dropped' ? typeof reason === 'string' : reason === null);
  assert(isInBlock(state) ? isPoint(point) : point === null);
  assert(
    body === null
      ? part.kind === 'ended' && part.late === undefined
      : isBytes(body.payload) && isCount(body.payloadType),
  );
  assert((entry !== null) === (ordering === 'priority' && body !== null));
  if (part.kind === 'live') assert(part.claim === null);
  else assert(isCount(part.logSeq) && isCount(part.at));
  return entry === null ? part : { ...part, entry: decodeEntry(hash, seq, encodeEntry(entry)) };
}

function checkNumbers(part: NumbersPart): NumbersPart {
  const { tip, floor, lastSeq, lastLogSeq, lastAt, lastGossipSeq, retention } = part;
  const { maxFinalized, maxEvents, maxRollback } = retention;
  assert([tip.tick, floor, lastSeq, lastLogSeq, lastAt, lastGossipSeq].every(isCount));
  assert([maxFinalized, maxEvents, maxRollback].every(isCount) && (tip.point === null || isPoint(tip.point)));
  return { ...part, limits: namedLimits(part.limits) };
}

function isPoint(point: unknown): boolean {
  if (typeof point !== 'object' || point === null || !('slot' in point) || !('hash' in point)) return false;
  return isCount(point.slot) && typeof point.hash === 'string' && /^[0-9a-f]{64}$/.test(point.hash);
}

function isHash(hash: unknown): boolean {
  return typeof hash === 'string' && /^([0-9a-f]{2}){1,64}$/.test(hash);
}

function assert(isValid: boolean): asserts isValid {
  if (!isValid) throw new TypeError('not a part of a pool');
}
