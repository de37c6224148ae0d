import { createHash } from 'node:crypto';
import { payloadChecksum } from '../codec/codec.ts';
import type { ClaimContext, WriteContext } from '../contract/call-options.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import type { CheckedPut } from '../contract/records.ts';
import type { Policy } from '../contract/store.ts';
import type { ChainPoint, Transaction } from '../contract/transaction.ts';

/** An argument of a call, or a value derived from one, in a form that can be serialised as JSON. */
export type DigestPart = string | number | null | readonly DigestPart[];

const digestBytes = 16;

/**
 * Returns the context with a digest of the call's arguments, if the call has an operation id (X2). `parts` returns the
 * arguments that a correct repeat must repeat. It excludes lease, verdict, sending peer, height and time, because they
 * differ if a new leader repeats the call, or after a block.
 */
export function withDigest<C extends WriteContext>(context: C, verb: string, parts: () => readonly DigestPart[]): C {
  if (context.operationId === undefined) return context;
  const text = JSON.stringify([verb, ...parts()], (_, part) => sayable(part));
  return { ...context, digest: createHash('sha256').update(text).digest().subarray(0, digestBytes) };
}

/** JSON has neither infinity nor big numbers. */
function sayable(part: unknown): unknown {
  if (part === Number.POSITIVE_INFINITY) return 'never';
  return typeof part === 'bigint' ? String(part) : part;
}

/** Returns the digest part of a list of hashes: one text, in which spaces separate them. */
export function hashesPart(hashes: readonly string[]): DigestPart {
  return hashes.join(' ');
}

/** Returns the digest part of transactions: hash, payload type and payload checksum of each. */
export function transactionsPart(transactions: readonly Transaction[]): DigestPart {
  return hashesPart(
    transactions.map(({ hash, payload, payloadType }) => `${hash}/${payloadType}/${payloadChecksum(payload)}`),
  );
}

/** Returns the digest part of a `putRecord`: name, version and checksum of the value. */
export function putPart({ name, version, value }: CheckedPut): DigestPart {
  return [name, version, value && payloadChecksum(value)];
}

export function pointPart(point: ChainPoint | null): DigestPart {
  return point === null ? null : [point.slot, point.hash];
}

/** Returns the digest part of an object: its fields that are not `undefined`, sorted by name. */
export function fieldsPart(fields: object): DigestPart {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value]);
}

/**
 * Returns the digest parts of the options of a move or a drop. They exclude `notBeforeMs`, because a later repeat may name
 * a later time.
 */
export function guardParts({ claim, descendants }: ClaimContext): DigestPart[] {
  return [claim ?? null, descendants ? 'descendants' : null];
}

/** Returns the digest parts of a block. They include only the thresholds in `policy`, because defaults may differ by node. */
export function blockParts(block: CheckedBlock, policy: Policy): DigestPart[] {
  const { point, parent, seen, unseen, provides } = block;
  return [pointPart(point), parent, hashesPart(seen), hashesPart(unseen), provides, fieldsPart(policy)];
}
