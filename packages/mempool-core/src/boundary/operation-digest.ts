import { createHash } from 'node:crypto';
import { payloadChecksum } from '../codec/codec.ts';
import type { ClaimContext, WriteContext } from '../contract/call-options.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import type { DumpedPart } from '../contract/dump.ts';
import type { CheckedPut } from '../contract/records.ts';
import type { Policy } from '../contract/store.ts';
import type { ChainPoint, Transaction } from '../contract/transaction.ts';

/** An argument, or what stands for one. */
export type DigestPart = string | number | null | readonly DigestPart[];

const digestBytes = 16;

/**
 * The context with the digest of the call's arguments, if the call has an operation id (X2). `parts` are the arguments
 * that an honest repeat gives again. So they are without lease, verdict, sending peer, height and time: these differ in
 * a repeat by a new leader, or after a block. The digest is stored: never change what it is made of.
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

/** A list of hashes as one text: they are many, and have no spaces. */
export function hashesPart(hashes: readonly string[]): DigestPart {
  return hashes.join(' ');
}

/** Hash, payload type and checksum of the payload of each. */
export function transactionsPart(transactions: readonly Transaction[]): DigestPart {
  return hashesPart(
    transactions.map(({ hash, payload, payloadType }) => `${hash}/${payloadType}/${payloadChecksum(payload)}`),
  );
}

/** Of a whole pool: how many parts it has, and the hash, seq, stage and payload's checksum of each transaction. */
export function contentPart(content: readonly DumpedPart[]): DigestPart {
  const writes = content.flatMap((part) => (part.kind === 'write' ? [part.write] : []));
  const sum = (payload: Uint8Array | undefined): number => (payload === undefined ? 0 : payloadChecksum(payload));
  const texts = writes.map(({ after, body }) => `${after.hash}/${after.seq}/${after.stage}/${sum(body?.payload)}`);
  return [content.length, hashesPart(texts)];
}

/** Name, version and checksum of the value of a record. */
export function putPart({ name, version, value }: CheckedPut): DigestPart {
  return [name, version, value && payloadChecksum(value)];
}

export function pointPart(point: ChainPoint | null): DigestPart {
  return point === null ? null : [point.slot, point.hash];
}

/** The fields that are given, in the order of their names. */
export function fieldsPart(fields: object): DigestPart {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, value]);
}

/**
 * What else a move or a drop is bound to. Without `notBeforeMs`: a repeat that comes later may name a later time. The number of parts tells a drop of descendants apart, so that records of earlier
 * versions still match.
 */
export function guardParts({ claim, descendants }: ClaimContext): DigestPart[] {
  if (descendants) return [claim ?? null, 'descendants'];
  return claim === undefined ? [] : [claim];
}

/** Thresholds as the caller named them: those of the pool may differ between its nodes. */
export function blockParts(block: CheckedBlock, policy: Policy): DigestPart[] {
  const { point, parent, seen, unseen, provides } = block;
  return [pointPart(point), parent, hashesPart(seen), hashesPart(unseen), provides, fieldsPart(policy)];
}
