import { writeFileSync } from 'node:fs';
import { allCases, type ConformanceCase } from 'mempool-conformance';
import { allMutants } from './mutants/index.ts';
import type { Mutant } from './mutants/mutant.ts';
import { isKilled, isSupported } from './mutants/verdict.ts';

// Runs every mutant against every case and writes which case must kill which mutant: each case the sharpest one, that
// is the one that the fewest cases notice. Run it after a change of cases or mutants:
// node --conditions=mempool-source conformance/test/assign-kills.ts && biome format --write conformance/test/mutants/kills.json

const target = new URL('mutants/kills.json', import.meta.url);

async function killersOf(mutant: Mutant): Promise<string[]> {
  const killers: string[] = [];
  for (const one of allCases)
    if (one.level === 'MUST' && isSupported(mutant, one) && (await isKilled(mutant, one))) killers.push(one.id);
  return killers;
}

function sharpest(one: ConformanceCase, killers: ReadonlyMap<string, readonly string[]>): string | undefined {
  const found = [...killers].filter(([, ids]) => ids.includes(one.id));
  return found.toSorted(([, a], [, b]) => a.length - b.length)[0]?.[0];
}

const killers = new Map<string, readonly string[]>();
for (const mutant of allMutants) {
  killers.set(mutant.id, await killersOf(mutant));
  console.log(`${mutant.id}: ${killers.get(mutant.id)?.length}`);
}
const noticed = [...killers.values()].flat();
const count = (id: string) => noticed.filter((one) => one === id).length;
/** A case of many rules says little about the one that is broken. */
const named = (ids: readonly string[]) => ids.filter((id) => !/^(history|N2)\//.test(id));
const rarest = (ids: readonly string[]) => [...named(ids).toSorted((a, b) => count(a) - count(b)), ...ids].slice(0, 1);

const assigned = new Map<string, string[]>(allMutants.map(({ id }) => [id, []]));
for (const one of allCases) {
  const killer = sharpest(one, killers);
  if (killer === undefined) console.log(`no mutant: ${one.id}`);
  else assigned.get(killer)?.push(one.id);
}
for (const [id, ids] of assigned) if (ids.length === 0) ids.push(...rarest(killers.get(id) ?? []));
for (const [id, ids] of assigned) if (ids.length === 0) console.log(`no case: ${id}`);
writeFileSync(target, `${JSON.stringify(Object.fromEntries(assigned), null, 2)}\n`);
