import { toJsonValue } from 'mempool-core';
import { expect, it } from 'vitest';

it('writes a big number as a string, bytes as base64 and no limit as "never"', () => {
  const bytes = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
  const answer = { required: 2n ** 70n, payload: bytes, untilMs: Infinity, none: null, is: false, left: undefined };
  expect(toJsonValue([answer, 'text', 7])).toEqual([
    { required: '1180591620717411303424', payload: 'AQID', untilMs: 'never', none: null, is: false },
    'text',
    7,
  ]);
});
