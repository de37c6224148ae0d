import { allCases, type Report, runSuite } from 'mempool-conformance';

/** Runs the whole conformance suite on the cluster with these nodes. Prints each case that fails. */
export async function runSuiteOn(addresses: readonly string[], concurrency: number): Promise<Report> {
  process.env.MEMPOOL_TEST_REDIS_CLUSTER = addresses.join(',');
  const { subject } = await import('./subject.ts');
  let done = 0;
  return runSuite(subject, {
    concurrency,
    onResult: ({ case: one, outcome }) => {
      done += 1;
      if (outcome.kind === 'failed') console.log(`FAILED ${one.id}: ${String(outcome.error)}`);
      if (done % 100 === 0) console.log(`${done} of ${allCases.length} cases`);
    },
  });
}
