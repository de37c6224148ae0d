import assert from 'node:assert/strict';
import { type ConformanceCase, ledgerCases, runCase, runSuite } from 'mempool-conformance';
import { expect, test } from 'vitest';
import { ledgerFaults, ledgerKills } from './faults.ts';
import { type Fault, thirdParty } from './third-party.ts';

/** How long a case waits for what never comes. The others may take as long as a loaded machine needs. */
const waitingMs = 700;

/** Whether a case notices the fault: by its time only if the fault is that something never comes. */
async function notices(one: ConformanceCase, fault: Fault): Promise<boolean> {
  const limit = fault.waits === true ? { timeoutMs: waitingMs } : {};
  const { outcome } = await runCase(thirdParty(fault), one, { seed: 1, ...limit });
  return outcome.kind === 'failed' && (fault.waits === true || !outcome.error.message.startsWith('not done after'));
}

test('a third party’s ledger without a fault passes every case', async () => {
  const report = await runSuite(thirdParty(), { concurrency: 8, seed: 1 });
  const failed = report.cases.filter(({ outcome }) => outcome !== 'passed').map(({ id }) => id);
  expect({ result: report.result, failed }).toEqual({ result: 'passed', failed: [] });
});

test('every planted fault is noticed', async () => {
  const survived: string[] = [];
  const queue = ledgerFaults
    .flatMap((fault) => (ledgerKills[fault.id] ?? ['no case']).map((id) => ({ fault, id })))
    .values();
  const judge = async () => {
    for (const { fault, id } of queue) {
      const one = ledgerCases.find((each) => each.id === id) ?? assert.fail(`no case ${id}`);
      if (!(await notices(one, fault))) survived.push(`${fault.id}: ${id}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, judge));
  expect(survived).toEqual([]);
});

test('every MUST case notices a fault', () => {
  const noticing = new Set(Object.values(ledgerKills).flat());
  expect(ledgerCases.filter(({ id, level }) => level === 'MUST' && !noticing.has(id)).map(({ id }) => id)).toEqual([]);
});
