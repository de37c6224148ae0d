import { isMempoolError } from 'mempool-core';
import { fileStart, type PoolPart } from 'mempool-core/backend';
import { describe, expect, it } from 'vitest';
import { decodeLine, encodeLine, lineOf, partOf } from '../../src/codec/pool-lines.ts';

const hash = 'ab'.repeat(32);
const facts = { receivedAt: 1, attempts: 2, sentAt: 3 };
const counters = { confirmations: 0, nonConfirmations: 0 };
const body = { hash, payload: Uint8Array.of(0, 255), payloadType: 6 };
const point = { slot: 5, hash };
const verdict = { priority: 2n ** 63n - 1n, sender: 'ann', tip: 7n };
const parts = [
  {
    kind: 'live',
    state: { hash, seq: 1, stage: 'Propagated', tick: 4, ...counters, reason: null, facts },
    point: null,
    body,
    entry: { hash, seq: 1, verdict },
    claim: { id: 'a', owner: 'b', untilMs: 9 },
  },
  {
    kind: 'ended',
    logSeq: 8,
    state: { hash, seq: 2, stage: 'Dropped', tick: 0, ...counters, reason: 'app:x', facts: { ...facts, sentAt: null } },
    point,
    body: null,
    entry: null,
    at: 4,
  },
  { kind: 'satisfied', tag: 'never', tick: 3 },
  { kind: 'record', record: { name: 'never', version: 1, value: new Uint8Array() } },
] as unknown as readonly PoolPart[];

describe('a line of an export', () => {
  it('is JSON with a digest of all lines up to it, and gives the same part', () => {
    let [from, to] = [fileStart, fileStart];
    for (const part of parts) {
      const { text, place } = encodeLine(lineOf(part), to);
      expect(Object.keys(JSON.parse(text) as object).at(-1)).toBe('check');
      expect(text).not.toContain('\n');
      const read = decodeLine(text, from);
      expect(partOf(read.fields)).toEqual(part);
      expect(read.place).toEqual(place);
      [from, to] = [read.place, place];
    }
  });

  const first = encodeLine(lineOf(parts[2] as PoolPart), fileStart);
  const second = encodeLine(lineOf(parts[3] as PoolPart), first.place);
  it.each([
    ['no JSON', '{'],
    ['no line of an export', '{"kind":"live"}'],
    ['a line of another place', first.text],
    ['an edited line', second.text.replace('"version":1', '"version":2')],
    ['an edited digest', second.text.replace(/"check":"./, '"check":"x')],
  ])('is refused with its number: %s', (_, text) => {
    try {
      decodeLine(text, first.place);
      expect.unreachable();
    } catch (error) {
      expect(isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.line).toBe(2);
    }
  });
});
