import { hash } from 'node:crypto';
import { MempoolError } from '../contract/errors.ts';
import type { TxState } from '../contract/lifecycle.ts';
import { limitNames } from '../contract/limits.ts';
import { defaultRetention } from '../contract/options.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { Tip, Transaction } from '../contract/transaction.ts';
import type { FilePlace, PoolPart } from '../contract/transfer.ts';
import { toJsonValue } from './to-json.ts';

/** A line of a file: its fields, and the place after it. */
export interface ReadLine {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly place: FilePlace;
}

/** Digits of a line's digest that the line has: of all lines up to it. */
const checkDigits = 16;
const tailLength = ',"check":""}'.length + checkDigits;

/** Returns the next line of a file, without its end, and the place after it. */
export function encodeLine(
  fields: object,
  { lines, digest }: FilePlace,
): { readonly text: string; readonly place: FilePlace } {
  const json = JSON.stringify(toJsonValue(fields));
  const next = hash('sha256', digest + json);
  return {
    text: `${json.slice(0, -1)},"check":"${next.slice(0, checkDigits)}"}`,
    place: { lines: lines + 1, digest: next },
  };
}

/** The inverse of `encodeLine`. @throws `ERR_MEMPOOL_INVALID` with the number of the line, if it or a line before it was edited */
export function decodeLine(text: string, { lines, digest }: FilePlace): ReadLine {
  const json = `${text.slice(0, -tailLength)}}`;
  const next = hash('sha256', digest + json);
  if (text.slice(-tailLength) !== `,"check":"${next.slice(0, checkDigits)}"}`)
    throw wrongLine(lines + 1, 'was edited, or is not a line of an export');
  try {
    const fields: unknown = JSON.parse(json, revived);
    return { fields: fields as ReadLine['fields'], place: { lines: lines + 1, digest: next } };
  } catch (cause) {
    throw wrongLine(lines + 1, 'cannot be read', cause);
  }
}

/** Returns the error for a line, `ERR_MEMPOOL_INVALID` naming `lines`. */
export function wrongLine(line: number, what: string, cause?: unknown): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INVALID', `line ${line} ${what}`, { field: 'lines', line, cause });
}

/** Fields that a line leaves out if they have these values. */
const usual: Readonly<Record<string, unknown>> = {
  confirmations: 0,
  nonConfirmations: 0,
  reason: null,
  sentAt: null,
  point: null,
  claim: null,
  entry: null,
};

/** The fields of the line of a part, in an order that does not depend on the backend. */
export function lineOf(part: PoolPart): object {
  switch (part.kind) {
    case 'live': {
      const { kind, state, point, body, entry, claim } = part;
      return unusual({ kind, ...lifeOf(state), point, claim, ...bodyOf(body), entry: entry && bare(entry) });
    }
    case 'ended': {
      const { kind, logSeq, state, at, late, point, body, entry } = part;
      const fields = { kind, logSeq, ...lifeOf(state), at, late, point, ...bodyOf(body), entry: entry && bare(entry) };
      return unusual(fields);
    }
    case 'start':
      return { ...part, tip: tipOf(part.tip) };
    case 'numbers': {
      const { kind, tip, floor, lastSeq, lastLogSeq, lastAt, lastGossipSeq, limits, retention } = part;
      const { maxFinalized, maxEvents, maxRollback } = retention;
      const last = { lastSeq, lastLogSeq, lastAt, lastGossipSeq };
      const sorted = Object.fromEntries(limitNames.map((name) => [name, limits[name]]));
      return {
        kind,
        tip: tipOf(tip),
        floor,
        ...last,
        limits: sorted,
        retention: { maxFinalized, maxEvents, maxRollback },
      };
    }
    case 'record':
      return { kind: 'record', ...part.record };
    case 'block':
    case 'satisfied':
    case 'finish':
      return part;
  }
}

/** The inverse of `lineOf`. It does not check the fields. */
export function partOf(fields: ReadLine['fields']): unknown {
  const { kind, ...rest } = fields;
  if (kind === 'record') return { kind, record: rest };
  if (kind !== 'live' && kind !== 'ended') return fields;
  const { logSeq, late, point, claim, at, payload, payloadType, entry, ...more } = { ...usual, ...rest };
  const { receivedAt, attempts, sentAt, ...life } = more;
  const { hash: name, seq } = rest;
  return {
    kind,
    state: { ...life, facts: { receivedAt, attempts, sentAt } },
    point,
    body: payload === undefined ? null : { hash: name, payload, payloadType },
    entry: entry ? { ...(entry as object), hash: name, seq } : null,
    ...(kind === 'live' ? { claim } : { logSeq, at, ...(late === undefined ? {} : { late }) }),
  };
}

/** When it was sent last is known of those only that are Propagated or Acknowledged. */
function lifeOf({
  hash: name,
  seq,
  stage,
  tick,
  notBefore,
  facts,
  confirmations,
  nonConfirmations,
  reason,
}: TxState): object {
  const { receivedAt, attempts } = facts;
  const sentAt = stage === 'Propagated' || stage === 'Acknowledged' ? facts.sentAt : null;
  const times = { notBefore, receivedAt, attempts, sentAt };
  return { hash: name, seq, stage, tick, confirmations, nonConfirmations, reason, ...times };
}

function bodyOf(body: Transaction | null): object {
  return body === null ? {} : { payloadType: body.payloadType, payload: body.payload };
}

function bare({ hash: _, seq: __, ...entry }: Entry): object {
  return entry;
}

function tipOf({ tick, point }: Tip): Tip {
  return { tick, point };
}

function unusual(fields: object): object {
  const kept = Object.entries(fields).filter(([name, value]) => value !== undefined && value !== usual[name]);
  return Object.fromEntries(kept);
}

const endless: ReadonlySet<string> = new Set([...limitNames, ...Object.keys(defaultRetention)]);

/** The fields that JSON cannot represent, by their names. */
function revived(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'payload' || name === 'value') return bytesOf(value);
  if (name === 'priority' || name === 'tip' || name === 'minPriority') return BigInt(value);
  return value === 'never' && endless.has(name) ? Number.POSITIVE_INFINITY : value;
}

function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new TypeError('not base64');
  return new Uint8Array(bytes);
}
