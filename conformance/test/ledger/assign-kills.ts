import { writeFileSync } from 'node:fs';
import { ledgerCases } from 'mempool-conformance';
import { mutantGroups, notices } from './mutants/verdict.ts';

// Runs every mutant against the cases of its rules and writes for each case the mutant that the fewest cases notice, and for a mutant
// that no case needs the first case that notices it. Run it after a change of cases or mutants:
// node --conditions=mempool-source conformance/test/ledger/assign-kills.ts && biome format --write conformance/test/ledger/mutants/kills.json

const cases = ledgerCases.filter(({ level }) => level === 'MUST');
const noticed = new Map<string, string[]>();
for (const { rules, faults } of mutantGroups)
  for (const mutant of faults) {
    const found: string[] = [];
    for (const one of cases)
      if (rules.some((rule) => one.id.startsWith(rule)) && (await notices(one, mutant))) found.push(one.id);
    noticed.set(mutant.id, found);
  }

const kills = new Map<string, string[]>();
for (const { id } of cases) {
  const [killer] = [...noticed].filter(([, ids]) => ids.includes(id)).toSorted(([, a], [, b]) => a.length - b.length);
  if (killer === undefined) console.log(`no mutant: ${id}`);
  else kills.set(killer[0], [...(kills.get(killer[0]) ?? []), id]);
}
for (const [mutant, ids] of noticed) {
  const [first] = ids.filter((id) => !id.startsWith('chance')).toSpliced(1);
  if (ids.length === 0) console.log(`no case: ${mutant}`);
  else if (!kills.has(mutant)) kills.set(mutant, [first ?? ids[0] ?? '']);
}
writeFileSync(
  new URL('mutants/kills.json', import.meta.url),
  `${JSON.stringify(Object.fromEntries(kills), null, 2)}\n`,
);
