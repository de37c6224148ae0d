// The whole conformance suite through Sentinels: node suite.ts [parts of ids]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript, startSentinelGroup } from 'mempool-testkit';
import { runSuiteThrough } from './suite-run.ts';

const parts = process.argv.length > 2 ? process.argv.slice(2) : [''];

await runScript(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mempool-sentinel-'));
  try {
    await using group = await startSentinelGroup({ dir, downAfterMs: 30_000 });
    const { counts, seed } = await runSuiteThrough(group.endpoint.sentinels, { parts, concurrency: 3, minReplicas: 0 });
    console.log(JSON.stringify({ suite: counts, seed }));
    if (counts.failed > 0) process.exitCode = 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
