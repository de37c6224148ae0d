/** Fail-overs of a real group of Sentinels under load, and what must hold afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redis } from 'mempool-redis';
import { startSentinelGroup } from 'mempool-testkit';
import { readSentinelSettings, sentinelHelp } from './command-line.ts';
import { runProgram } from './program.ts';
import { type Judgement, judge } from './sentinel/judgement.ts';
import { faultKinds } from './sentinel/moments.ts';
import { SentinelRun } from './sentinel/sentinel-run.ts';

const pool = 'soak';

await runProgram('sentinel soak', async (signal) => {
  const settings = readSentinelSettings(process.argv.slice(2));
  if (settings === null) return console.log(sentinelHelp);
  const { faults, minReplicas, ttlMs, downAfterMs } = settings;
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'mempool-soak-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const group = stack.use(await startSentinelGroup({ dir, downAfterMs }));
  const load = { nodes: 3, callers: 2, callEveryMs: 2, blockEveryMs: 100 };
  const run = stack.use(await SentinelRun.start({ group, pool, minReplicas, ttlMs, ...load }));
  for (let i = 0; i < faults; i += 1) {
    signal.throwIfAborted();
    const kind = faultKinds[i % faultKinds.length] ?? 'kill';
    const { at, switchedAt, healedAt } = await run.fault(kind);
    console.error(
      `${i + 1} ${kind}: switched in ${Math.round(switchedAt - at)} ms, whole after ${Math.round(healedAt - at)} ms`,
    );
  }
  await run.settle();
  await using store = await redis.open({ ...run.endpoint, pool });
  const judgement = await judge(run.moments, store, run.chain);
  for (const loss of judgement.losses) console.error(`lost: ${loss}`);
  console.log(textOf(judgement, settings));
  if (judgement.broken.length > 0) throw new Error(`${judgement.broken.length} promises broken`);
});

function textOf(
  found: Judgement,
  { minReplicas, downAfterMs, ttlMs }: { minReplicas: number; downAfterMs: number; ttlMs: number },
): string {
  const { answered, lost, blocks, lags, times, broken } = found;
  const rows = times.map(
    ({ kind, count, switched, writes, blocks: applied, lost: own }) =>
      `${kind.padEnd(10)} ${count} times: successor ${figure(switched)}, no write for ${figure(writes)}, no block for ${figure(applied)}; ${own} writes lost`,
  );
  return [
    `minReplicas ${minReplicas}, down-after ${downAfterMs} ms, ttl ${ttlMs} ms; times in ms, median and maximum`,
    ...rows,
    `writes     ${answered} answered, ${lost} of them lost; ${lags} times a reader was told that the server went back`,
    `blocks     ${blocks}, each once and in order`,
    `result     ${broken.length === 0 ? 'no promise broken' : broken.join('\n           ')}`,
  ].join('\n');
}

function figure([median, most]: readonly [number, number]): string {
  return `${median} / ${most}`;
}
