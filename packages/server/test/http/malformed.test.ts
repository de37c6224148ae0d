import { expect, test } from 'vitest';
import { jsonOf, postJson } from './client.ts';
import { served } from './served.ts';

test('of a value that has several forms, the fault is that of the form whose names are given', async () => {
  const { url } = await served({ backend: 'ephemeral', ordering: 'priority' });
  const refusal = { code: 1, log: 'no', penalize: false };
  const faults: readonly (readonly [answer: unknown, field: string, says: RegExp])[] = [
    [{ ...refusal, code: 'gone' }, 'code', /expected (?:number|int)/],
    [{ ...refusal, code: 1.5 }, 'code', /expected (?:number|int)/],
    [{ ...refusal, penalize: 'yes' }, 'penalize', /expected boolean/],
    [{ ...refusal, reason: 'x' }, 'reason', /is unknown/],
    [{ log: 'no', penalize: true }, 'code', /expected (?:number|int)/],
    [{ priority: '9', gas: 'much' }, 'gas', /expected (?:number|int)/],
    [{ priority: '9', prio: '9' }, 'prio', /is unknown/],
  ];
  for (const [answer, field, says] of faults) {
    const response = await postJson(`${url}/api/v1/revise`, { revisions: [{ hash: 'aa', version: 1, answer }] });
    const told = await jsonOf(response);
    expect([answer, response.status, told.field]).toEqual([answer, 400, `revisions.0.answer.${field}`]);
    expect(told.detail).toMatch(says);
  }
  const right = await postJson(`${url}/api/v1/revise`, { revisions: [{ hash: 'aa', version: 1, answer: refusal }] });
  expect(right.status).toBe(200);
});
