import { expect, test } from 'vitest';
import { rowsOf } from '../src/report/row.ts';
import { hasFurtherPasses, isTimeFor, unsettledRows } from '../src/runner/further-passes.ts';
import { readOptions } from '../src/runner/options.ts';

/** A row of two passes at two sizes, the limit's cost in the second pass at the larger one as given. */
function row(backend: string, id: string, second: number) {
  const pass = (cost: number) => [
    { n: 10, ours: [10, 10], limits: new Map([['bare', [5, 5]]]) },
    { n: 100, ours: [10, 10], limits: new Map([['bare', [cost, cost]]]) },
  ];
  return rowsOf({ backend, id, title: id, unit: 'µs', per: 'transaction' }, [pass(5), pass(second)]);
}

test('a further pass is of the rows whose passes are apart at one size, each backend by what it is allowed', () => {
  const rows = [
    ...row('sqlite', 'agreed', 5.7),
    ...row('sqlite', 'apart', 5.8),
    ...row('redis', 'allowed', 5.8),
    ...row('redis', 'apart', 6.6),
    ...row('ephemeral', 'less', 4.4),
  ];
  expect(unsettledRows(rows, 'sqlite')).toEqual({ ids: ['apart'], rowsShare: 0.5 });
  expect(unsettledRows(rows, 'redis')).toEqual({ ids: ['apart'], rowsShare: 0.5 });
  expect(unsettledRows(rows, 'ephemeral')).toEqual({ ids: ['less'], rowsShare: 1 });
});

test('a row of one pass is settled', () => {
  const rows = rowsOf({ backend: 'sqlite', id: 'single', title: 'single', unit: 'µs', per: 'transaction' }, [
    [{ n: 10, ours: [10], limits: new Map([['bare', [5]]]) }],
  ]);
  expect(unsettledRows(rows, 'sqlite')).toEqual({ ids: [], rowsShare: 0 });
});

test.each([
  ['a run that names neither', [], true],
  ['one backend', ['--only', 'redis'], true],
  ['passes that were named', ['--passes', '2'], false],
  ['rounds that were named', ['--rounds', '7'], false],
  ['a million', ['--full'], false],
])('whether there are further passes: %s', (_, given, expected) => {
  expect(hasFurtherPasses(readOptions(given))).toBe(expected);
});

test('a further pass begins only where filling the pools and its rows still fit into fifteen minutes', () => {
  expect(isTimeFor(2, { elapsed: 12.8, rowsShare: 1 })).toBe(true);
  expect(isTimeFor(2, { elapsed: 13, rowsShare: 1 })).toBe(false);
  expect(isTimeFor(2, { elapsed: 14.2, rowsShare: 0 })).toBe(true);
  expect(isTimeFor(2, { elapsed: 14.4, rowsShare: 0 })).toBe(false);
});
