import assert from 'node:assert/strict';
import { type ConformanceCase, ledgerCases, ledgerRules, runCase, runSuite } from 'mempool-conformance';
import { describe, expect, test } from 'vitest';
import kills from './mutants/kills.json' with { type: 'json' };
import { ledgerMutants, notices } from './mutants/verdict.ts';
import { type Fault, thirdParty } from './third-party.ts';

const assigned: Readonly<Record<string, readonly string[]>> = kills;

function caseOf(id: string): ConformanceCase {
  return ledgerCases.find((one) => one.id === id) ?? assert.fail(`no case ${id}`);
}

function faultOf(id: string): Fault {
  return ledgerMutants.find((one) => one.id === id) ?? assert.fail(`no mutant ${id}`);
}

test('a third party’s ledger without a fault passes every case', async () => {
  const report = await runSuite(thirdParty(), { concurrency: 8, seed: 1 });
  const failed = report.cases.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id);
  expect({ result: report.result, failed }).toEqual({ result: 'passed', failed: [] });
});

/** Faults that a ledger has been seen with, each with the case that must name its rule. */
const known: Readonly<Record<string, string>> = {
  'checked-outside': 'C1/debits',
  'retried-outside': 'W2/totals',
  'float-amounts': 'T5/exact',
  'wallet-overwritten': 'W1/again',
  'refusal-retried': 'T3/sticks',
  'forgets-ids': 'T1/repeated',
  'no-insufficient-funds': 'T6/exactly',
  'void-keeps': 'H3/released',
  'expiry-by-sweep': 'H5/due',
  'digest-alone': 'J2/chain',
  'trims-without-opening': 'J6/opening',
  'one-for-all': 'C2/apart',
};

describe('a third party’s ledger fails by a case that names the rule', () => {
  test('twelve faults are planted', () => expect(Object.keys(known)).toHaveLength(12));
  test.each(Object.entries(known))('%s: %s', async (id, noticedBy) => {
    const one = caseOf(noticedBy);
    const { outcome } = await runCase(thirdParty(faultOf(id)), one, { seed: 1, timeoutMs: 2_000 });
    expect([outcome.kind, one.rule in ledgerRules]).toEqual(['failed', true]);
  });
});

test('every fault is noticed by the cases that name its rule', async () => {
  const survived: string[] = [];
  const queue = Object.entries(assigned).values();
  const judge = async () => {
    for (const [mutant, ids] of queue)
      for (const id of ids) if (!(await notices(caseOf(id), faultOf(mutant)))) survived.push(`${mutant}: ${id}`);
  };
  await Promise.all(Array.from({ length: 8 }, judge));
  expect(survived).toEqual([]);
});

test('every MUST case kills a mutant, and every mutant is killed', () => {
  const killing = new Set(Object.values(assigned).flat());
  const idle = ledgerCases.filter(({ id, level }) => level === 'MUST' && !killing.has(id)).map(({ id }) => id);
  const alive = ledgerMutants.filter(({ id }) => !(id in assigned)).map(({ id }) => id);
  expect({ idle, alive }).toEqual({ idle: [], alive: [] });
});

test('ids are unique', () => {
  for (const ids of [ledgerMutants.map(({ id }) => id), ledgerCases.map(({ id }) => id)])
    expect(new Set(ids).size).toBe(ids.length);
});
