import { readFileSync, writeFileSync } from 'node:fs';
import { allCases, type ConformanceCase } from 'mempool-conformance';
import { electionNodeCases, electionProgressCases } from '../src/cases/elections/nodes.ts';
import { electionOrderCases } from '../src/cases/elections/order.ts';
import { electionMutants } from './mutants/elections.ts';
import { fencingMutants } from './mutants/fencing.ts';
import { allMutants } from './mutants/index.ts';
import type { Mutant } from './mutants/mutant.ts';
import { recordFenceMutants } from './mutants/records.ts';
import { isKilled, isSupported } from './mutants/verdict.ts';

// Runs mutants against the cases of their kind and writes which case must kill which mutant: each case the sharpest one,
// that is the one that the fewest cases notice. Run it after a change of cases or mutants, with the ids of the new mutants,
// with `new` for those that are not assigned yet, or with nothing for all of them, which takes a quarter of an hour:
// node --conditions=mempool-source conformance/test/assign-kills.ts new && biome format --write conformance/test/mutants/kills.json

const target = new URL('mutants/kills.json', import.meta.url);
/** Mutants that wait at the same time. Those that stop the thread go one by one. */
const waiting = 6;

const assignedNow = (): Record<string, readonly string[]> => JSON.parse(readFileSync(target, 'utf8'));
const before = assignedNow();
const wanted = process.argv.slice(2);
const chosen = allMutants.filter(isChosen);

const nodeCases = new Set<ConformanceCase>([...electionNodeCases, ...electionOrderCases, ...electionProgressCases]);
const stopping = new Set<Mutant>(electionMutants);
const guarding = new Set<Mutant>([...fencingMutants, ...recordFenceMutants]);
const guardedRules = ['X6', 'K2'];

function isChosen({ id }: Mutant): boolean {
  return wanted.length === 0 || wanted.includes(id) || (wanted.includes('new') && !(id in before));
}

/** Whether the case is of the mutant's kind: a pool's by priority, another pool's, a fence's, a lease's, a node's. */
function isMeant(mutant: Mutant, one: ConformanceCase): boolean {
  if (mutant.backend.capabilities.priority) return isOfLimits(one);
  const isOfElections = one.needs?.includes('election') ?? false;
  if (mutant.election === undefined) return !isOfElections;
  if (guarding.has(mutant)) return guardedRules.includes(one.rule);
  return isOfElections && !guardedRules.includes(one.rule) && nodeCases.has(one) === stopping.has(mutant);
}

function isOfLimits({ needs = [] }: ConformanceCase): boolean {
  return needs.includes('priority') || needs.includes('arrival-verbs');
}

async function killersOf(mutant: Mutant): Promise<string[]> {
  const killers: string[] = [];
  for (const one of allCases) {
    if (one.level !== 'MUST' || !isMeant(mutant, one) || !isSupported(mutant, one)) continue;
    if (await isKilled(mutant, one)) killers.push(one.id);
  }
  return killers;
}

const killers = new Map<string, readonly string[]>();

async function judge(mutants: Iterable<Mutant>): Promise<void> {
  for (const mutant of mutants) {
    killers.set(mutant.id, await killersOf(mutant));
    console.log(`${mutant.id}: ${killers.get(mutant.id)?.length}`);
  }
}

const queue = chosen.filter((mutant) => mutant.election !== undefined && !stopping.has(mutant)).values();
await Promise.all(Array.from({ length: waiting }, () => judge(queue)));
await judge(chosen.filter((mutant) => mutant.election === undefined || stopping.has(mutant)));

const noticed = [...killers.values()].flat();
const count = (id: string) => noticed.filter((one) => one === id).length;
/** A case of many rules says little about the one that is broken. */
const named = (ids: readonly string[]) => ids.filter((id) => !/^(history|N2|LE1\/random|P1\/chance)/.test(id));
const rarest = (ids: readonly string[]) => [...named(ids).toSorted((a, b) => count(a) - count(b)), ...ids].slice(0, 1);

// Read again: another run, for other mutants, may have ended meanwhile.
const others = assignedNow();
const assigned = new Map<string, string[]>(
  allMutants.map((mutant) => [mutant.id, isChosen(mutant) ? [] : [...(others[mutant.id] ?? [])]]),
);

function sharpest(one: ConformanceCase): string | undefined {
  const found = [...killers].filter(([, ids]) => ids.includes(one.id));
  return found.toSorted(([, a], [, b]) => a.length - b.length)[0]?.[0];
}

const settled = new Set([...assigned.values()].flat());
for (const one of allCases) {
  // That a case notices a fault on pools of one ordering is enough, but for the faults that only the other has.
  if (settled.has(one.id) || one.ordering !== undefined) continue;
  const killer = sharpest(one);
  if (killer === undefined) console.log(`no mutant: ${one.id}`);
  else assigned.get(killer)?.push(one.id);
}
for (const { id } of chosen) {
  const ids = assigned.get(id);
  if (ids?.length === 0) ids.push(...rarest(killers.get(id) ?? []));
  if (ids?.length === 0) console.log(`no case: ${id}`);
}
writeFileSync(
  target,
  `${JSON.stringify(Object.fromEntries([...assigned].filter(([, ids]) => ids.length > 0)), null, 2)}\n`,
);
