import { describe, expect, test } from 'vitest';
import { original } from '../src/peers/original.ts';
import { cutTable, lackList, speedTable } from '../src/peers/tables.ts';
import { spreadOf } from '../src/report/spread.ts';

describe('the tables of the peers', () => {
  test('show a ratio with its spread, its goal and whether it is met', () => {
    const goal = { kind: 'at least', value: 5 } as const;
    const figure = {
      backend: 'redis',
      title: 'add',
      goal,
      unit: '×',
      value: spreadOf([4, 6, 5.5]),
      met: true,
    } as const;
    expect(speedTable([{ kind: 'measured', figure }]).split('\n')).toEqual([
      '| backend | what | ours ÷ peer, median (least–most) | goal | met |',
      '|---|---|---|---|---|',
      '| redis | add | 5.50 (4.00–6.00) × | at least 5 | yes |',
    ]);
  });

  test('say why a row was not run, on one line that keeps the table whole', () => {
    const reason = 'no such module\nat line 1 | 2';
    const [, , row] = speedTable([{ kind: 'not run', backend: 'redis', title: 'add', reason }]).split('\n');
    expect(row).toBe('| redis | add | not run: no such module at line 1 \\| 2 | – | – |');
    const [, , cut] = cutTable([{ kind: 'not run', peer: 'absent', step: 'add', reason }]).split('\n');
    expect(cut).toBe('| absent | add | not run: no such module at line 1 \\| 2 | – | – | – |');
  });

  test('count what cut connections left behind', () => {
    const row = { kind: 'counted', peer: 'a queue', step: 'add', cuts: 50, doubled: 3, lost: 2, unknown: 1 } as const;
    expect(cutTable([row]).split('\n')).toEqual([
      '| store | step | cuts | doubled | lost or held by nobody | caller does not know |',
      '|---|---|---|---|---|---|',
      '| a queue | add | 50 | 3 | 2 | 1 |',
    ]);
  });

  test('name what each peer lacks once', () => {
    expect(lackList([original, original])).toBe(`- ${original.name}: ${original.lacks}.`);
  });
});
