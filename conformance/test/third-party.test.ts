import { electionCases, runSuite } from 'mempool-conformance';
import { testElection } from 'mempool-conformance/vitest';
import { runProgram } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { subject } from './fixtures/directory-leases.ts';
import { fixture } from './program.ts';

// An election of a third party, without a mempool.
testElection(subject);

test('an election alone is asked what elections promise, and nothing of pools', async () => {
  const report = await runSuite(subject, { filter: ({ id }) => id === 'LE1/free' });
  expect(report).toMatchObject({
    subject: 'directory',
    backend: 'none',
    capabilities: {
      supported: ['election'],
      unsupported: ['durable', 'shared', 'lease', 'priority', 'records', 'import'],
    },
    counts: { passed: 1, skipped: electionCases.length - 1 },
    profiles: { core: { passed: 0, skipped: 0 }, election: { passed: 1 } },
  });
});

test('the command takes it too', async () => {
  const command = new URL('../src/cli.ts', import.meta.url).pathname;
  const { code, stdout } = await runProgram([command, fixture('directory-leases'), '--only', 'LE2']);
  expect({ code, failed: /^failed /m.test(stdout) }).toEqual({ code: 0, failed: false });
  expect(stdout).toMatch(/^directory: .* election \d+; seed \d+; took [\d.]+ s\)$/m);
});
