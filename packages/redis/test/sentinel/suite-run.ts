import { type Report, runSuite } from 'mempool-conformance';

export interface SuiteRun {
  /** Only the cases whose id contains one of these. */
  readonly parts: readonly string[];
  readonly concurrency: number;
  readonly minReplicas: number;
}

/** Runs the conformance suite through these Sentinels. Prints each case that fails. */
export async function runSuiteThrough(
  sentinels: readonly string[],
  { parts, concurrency, minReplicas }: SuiteRun,
): Promise<Report> {
  process.env.MEMPOOL_TEST_REDIS_SENTINELS = sentinels.join(',');
  process.env.MEMPOOL_TEST_MIN_REPLICAS = String(minReplicas);
  const { subject } = await import('./subject.ts');
  return runSuite(subject, {
    concurrency,
    filter: ({ id }) => parts.some((part) => id.includes(part)),
    onResult: ({ case: one, outcome }) => {
      if (outcome.kind === 'failed') console.log(`FAILED ${one.id}: ${JSON.stringify(outcome)}`);
    },
  });
}
