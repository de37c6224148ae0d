import { readFileSync } from 'node:fs';
import { allCases, ledgerCases, ledgerRules, rules, untested } from 'mempool-conformance';
import { expect, test } from 'vitest';

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
}

/** Numbers of rules that are removed, which no other rule takes. */
const retired = new Set(['P27', 'P30', 'P31', 'P33']);

const contract = [
  ...numbered('L', 15),
  ...numbered('X', 6),
  ...numbered('O', 9),
  ...numbered('E', 6),
  ...numbered('D', 4),
  ...numbered('N', 3),
  ...numbered('M', 3),
  ...numbered('R', 3),
  ...numbered('LE', 8),
  ...numbered('P', 33),
  ...numbered('K', 4),
].filter((rule) => !retired.has(rule));

test('every rule of the contract has a title', () => {
  expect(Object.keys(rules).sort()).toEqual([...contract, 'history'].sort());
});

test('every rule has a case or a reason why not, never both', () => {
  const covered = new Set(allCases.map(({ rule }) => rule));
  for (const rule of contract)
    expect({ rule, covered: covered.has(rule) }).toEqual({ rule, covered: !(rule in untested) });
});

test('ids are unique and begin with their rule, and no case is of an unknown one', () => {
  const ids = allCases.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, rule } of allCases)
    expect({ id, known: rule in rules }).toEqual({
      id: expect.stringMatching(`^${rule}/[A-Za-z0-9-]+(@priority)?$`),
      known: true,
    });
});

test('every rule of a ledger has a case, and every case of a ledger a rule', () => {
  expect(new Set(ledgerCases.map(({ rule }) => rule))).toEqual(new Set(Object.keys(ledgerRules)));
  for (const { id, rule } of ledgerCases) expect(id).toMatch(new RegExp(`^${rule}/[a-z0-9-]+$`));
});

test('the page of the rules of a ledger has each under its title', () => {
  const page = readFileSync(new URL('../../packages/ledger/docs/rules.md', import.meta.url), 'utf8');
  for (const [rule, title] of Object.entries(ledgerRules))
    if (rule !== 'chance') expect(page).toMatch(new RegExp(`^- \\*\\*${rule} ${title}[.*, ]`, 'm'));
});
