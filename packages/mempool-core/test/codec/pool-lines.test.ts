import { isMempoolError } from 'mempool-core';
import { fileStart } from 'mempool-core/backend';
import { expect, it } from 'vitest';
import { decodeLine, encodeLine, lineOf } from '../../src/codec/pool-lines.ts';

const first = encodeLine(lineOf({ kind: 'satisfied', tag: 'never', tick: 3 }), fileStart);
const record = { name: 'never', version: 1, value: new Uint8Array() };
const second = encodeLine(lineOf({ kind: 'record', record }), first.place);

it.each([
  ['no JSON', '{'],
  ['no line of an export', '{"kind":"live"}'],
  ['a line of another place', first.text],
  ['an edited line', second.text.replace('"version":1', '"version":2')],
  ['an edited digest', second.text.replace(/"check":"./, '"check":"x')],
])('a line of an export is refused with its number: %s', (_, text) => {
  try {
    decodeLine(text, first.place);
    expect.unreachable();
  } catch (error) {
    expect(isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.line).toBe(2);
  }
});
