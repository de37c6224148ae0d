import { expect, test } from 'vitest';
import { bodyRecord } from '../../src/pool/record.ts';

test('M1, M2: a record is the type of a payload, its checksum and a copy of the payload', () => {
  const payload = Buffer.from('123456789');
  const record = bodyRecord({ payload, payloadType: 0xa1b2 });
  payload.fill(0);
  expect(record.toString('latin1')).toBe(Buffer.from('a1b2cbf43926313233343536373839', 'hex').toString('latin1'));
});
