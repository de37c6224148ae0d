import { allCases, runSuite } from 'mempool-conformance';
import { expect, test } from 'vitest';
import { matrix, withMatrix } from '../src/report/matrix.ts';
import { subject } from './fixtures/subject.ts';

test('the matrix has a column per report and a row per rule, and tells what is not claimed', async () => {
  const cases = allCases.filter(({ rule }) => rule === 'L4' || rule === 'D1' || rule === 'L2');
  const report = await runSuite(subject, { cases });
  const text = matrix([report, { ...report, subject: 'other' }]);
  const count = (rule: string) => report.rules[rule]?.passed;
  expect(text).toContain('| Rule | mine | other |');
  expect(text).toMatch(new RegExp(`^\\| \\*\\*L4\\*\\* .* \\| ${count('L4')} \\| ${count('L4')} \\|$`, 'm'));
  expect(text).toMatch(new RegExp(`^\\| \\*\\*L2\\*\\* .* \\| ${count('L2')}, 2 n/a \\|`, 'm'));
  expect(text).toMatch(/^\| \*\*D1\*\* .* \| \d+ n\/a \|/m);
});

test('it goes between its markers and changes nothing else', () => {
  const text = 'before\n<!-- conformance:start -->\nold\n<!-- conformance:end -->\nafter\n';
  expect(withMatrix(text, 'new')).toBe('before\n<!-- conformance:start -->\nnew\n<!-- conformance:end -->\nafter\n');
});

test('a text without markers is refused', () => {
  expect(() => withMatrix('nothing', 'new')).toThrow('markers');
});
