import { allCases, runCase, runSuite } from 'mempool-conformance';
import { afterAll, expect, test } from 'vitest';
import { faults, faultySubject, noFault, removeFolder } from './planted/subject.ts';

/** A kill or a race strikes where it strikes, every second time or so: a fault must show within so many seeds. */
const seeds = Array.from({ length: 20 }, (_, i) => i + 1);
const slowMs = 120_000;
/** What waits for what never comes is waited for so long. */
const hangMs = 4_000;
/** The lease of a process that was killed is waited for. */
const electionHangMs = 15_000;

afterAll(removeFolder);

async function shows(faultId: string, caseId: string): Promise<boolean> {
  const fault = faults.find(({ id }) => id === faultId);
  const one = allCases.find(({ id }) => id === caseId);
  if (fault === undefined || one === undefined) throw new Error(`no fault ${faultId} or no case ${caseId}`);
  const hangs = fault.hangs?.includes(caseId) ?? false;
  const timeoutMs = one.needs?.includes('election') ? electionHangMs : hangMs;
  for (const seed of seeds) {
    const { outcome } = await runCase(faultySubject(fault), one, hangs ? { seed, timeoutMs } : { seed });
    // A case that a loaded machine holds up has noticed nothing.
    if (outcome.kind === 'failed' && (hangs || !outcome.error.message.startsWith('not done after'))) return true;
    if (outcome.kind === 'unsupported') return false;
  }
  return false;
}

const pairs = faults.flatMap(({ id, kills, hangs = [] }) =>
  kills.map((kill) => ({ fault: id, kill, hangs: hangs.includes(kill) })),
);

test.each(pairs.filter(({ hangs }) => !hangs))(
  '$fault is noticed by $kill',
  { timeout: slowMs },
  async ({ fault, kill }) => expect(await shows(fault, kill)).toBe(true),
);

// They wait, so they wait together.
test.concurrent.each(pairs.filter(({ hangs }) => hangs))(
  '$fault is noticed by $kill, which waits for what never comes',
  { timeout: slowMs },
  async ({ fault, kill }) => expect(await shows(fault, kill)).toBe(true),
);

test('what is noticed is the fault: without one, the cases of a single process pass', { timeout: slowMs }, async () => {
  const noticing = new Set(faults.flatMap(({ kills }) => kills));
  const elsewhere = ['child-process', 'volatile', 'unshared'];
  const cases = allCases.filter(
    ({ id, needs = [] }) => noticing.has(id) && !needs.some((need) => elsewhere.includes(need)),
  );
  const report = await runSuite(faultySubject(noFault), { cases, seed: 1 });
  expect(report.cases.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  expect(report.cases.length).toBeGreaterThan(40);
});

test('every case about crashes, nodes, processes and pools notices a fault', () => {
  const files = ['D1/', 'D2/', 'N1/', 'N2/'];
  const elsewhere = ['lease', 'priority', 'arrival-verbs', 'election', 'hints', 'forget', 'renew', 'records', 'import'];
  const about = allCases.filter(
    ({ id, ordering, needs = [] }) =>
      ordering === undefined &&
      // Removing is broken in mutants/removing.ts, where pools outlast their stores too.
      !needs.includes('remove') &&
      (needs.some((need) => !elsewhere.includes(need)) || files.some((start) => id.startsWith(start))),
  );
  const noticing = new Set(faults.flatMap(({ kills }) => kills));
  expect(about.map(({ id }) => id).filter((id) => !noticing.has(id))).toEqual([]);
});
