import { decodeReceiveCall, decodeValue, encodeReceiveCall, encodeValue } from 'mempool-core/backend';
import { expect, it } from 'vitest';
import { verdictFields } from '../../src/contract/verdict.ts';

const verdict = {
  ...{ priority: -(2n ** 63n), sender: 'ü', senderLimit: 3, gas: 7, provides: ['a'], requires: ['b', 'c'] },
  ...{ expiresAt: 1_700_000_000_000, expiresAtHeight: null, propagate: false },
};
const everything = { ...verdict, protected: true as const, tip: 2n ** 63n - 1n };
const submission = { hash: 'ab01', payloadType: 6, payload: Buffer.from('payload'), from: 'peer', verdict };
const call = {
  submissions: [submission, { ...submission, hash: 'ff', payload: Buffer.alloc(0), from: null, verdict: everything }],
  moment: { now: 5, height: null },
  thresholds: { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: 2 },
};

it.for([Buffer.alloc(16, 1), undefined])('a call of receive that another node plans comes back as it was', (digest) => {
  const { digest: read, ...decoded } = decodeReceiveCall(encodeReceiveCall(call, { digest }));
  expect(decoded).toEqual(call);
  expect(read === undefined ? undefined : Buffer.from(read)).toEqual(digest);
});

it('no field of a verdict is forgotten', () => {
  const known = new Set([...Object.keys(everything), 'maxPriority']);
  expect([...verdictFields].filter((name) => !known.has(name))).toEqual([]);
});

it('a damaged call is refused as a whole', () => {
  const record = encodeReceiveCall(call, {});
  const row = decodeValue('call', record) as unknown[];
  const [first, second] = row[0] as [unknown[], unknown[]];
  const [plain, rare] = second.slice(4) as [unknown[], unknown[]];
  const verdicts = [
    ...Array.from(plain, (_, i) => [plain.with(i, { x: 1 }), rare]),
    ...Array.from(rare, (_, i) => [plain, rare.with(i, { x: 1 })]),
    [plain.with(0, '9223372036854775808'), rare],
    [plain, rare.with(1, '9223372036854775808')],
    [plain.slice(1), rare],
    [plain, rare.slice(1)],
  ];
  const damages = [
    ...Array.from(row, (_, i) => row.with(i, 'x')),
    ...Array.from(first, (_, i) => row.with(0, [first.with(i, { x: 1 })])),
    ...verdicts.map((verdict) => row.with(0, [[...second.slice(0, 4), ...verdict]])),
    row.slice(1),
  ];
  for (const damage of [...damages.map(encodeValue), record.subarray(0, 40), Buffer.alloc(0)])
    expect(() => decodeReceiveCall(damage)).toThrow(expect.objectContaining({ code: 'ERR_MEMPOOL_CORRUPT' }));
});
