// Many pools at once on a real Redis Cluster while slots move and masters die, then the whole conformance suite there.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random, type RedisCluster, readOptions, runScript, seed, startRedisCluster } from 'mempool-testkit';
import { SoakedPool } from './soaked-pool.ts';
import { runSuiteOn } from './suite.ts';

const { values } = readOptions(process.argv.slice(2), {
  pools: { type: 'string', default: '30' },
  faults: { type: 'string', default: '40' },
  replicas: { type: 'string', default: '0' },
  suite: { type: 'string', default: 'yes' },
});

const random = new Random(seed);

await runScript(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mempool-cluster-'));
  try {
    await using cluster = await startRedisCluster({ dir });
    await soak(cluster, Number(values.pools), Number(values.faults));
    if (values.suite === 'yes') await runSuite(cluster);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

async function soak(cluster: RedisCluster, count: number, faults: number): Promise<void> {
  const pools = Array.from({ length: count }, () => new SoakedPool(cluster.addresses, Number(values.replicas)));
  for (const pool of pools) await pool.start();
  for (const pool of pools) await pool.work();
  const tally: Record<string, number> = {};
  for (let i = 0; i < faults; i += 1) {
    await pause(500);
    const kind = random.pick(['move', 'move', 'hand over', 'kill'] as const);
    await strike(cluster, kind, random.pick(pools), pools);
    tally[kind] = (tally[kind] ?? 0) + 1;
  }
  await pause(2_000);
  const judged = await Promise.all(pools.map((pool) => pool.judge()));
  const sum = (of: 'answered' | 'blocks' | 'lost' | 'lagged') => judged.reduce((total, one) => total + one[of], 0);
  const slowestMs = Math.round(Math.max(...judged.map((one) => one.slowestMs)));
  const wrong = judged.flatMap((one) => one.faults);
  const figures = {
    answered: sum('answered'),
    blocks: sum('blocks'),
    lost: sum('lost'),
    lagged: sum('lagged'),
    slowestMs,
  };
  console.log(JSON.stringify({ pools: count, ...tally, ...figures, faults: wrong.length }));
  for (const words of wrong.slice(0, 20)) console.log(words);
  if (wrong.length > 0) process.exitCode = 1;
  await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()));
}

async function strike(
  cluster: RedisCluster,
  kind: 'move' | 'hand over' | 'kill',
  pool: SoakedPool,
  all: readonly SoakedPool[],
): Promise<void> {
  const slot = await cluster.slotOf(`{${pool.name}}`);
  if (kind === 'move') return cluster.moveSlot(slot, await cluster.otherMaster(slot));
  if (kind === 'hand over') return cluster.handOver(slot);
  const dead = await cluster.masterOf(slot);
  for (const other of all)
    if ((await cluster.masterOf(await cluster.slotOf(`{${other.name}}`))) === dead) other.mayLose = true;
  await cluster.failOver(slot);
  await dead.server.restart();
  await cluster.untilHealthy();
}

async function runSuite(cluster: RedisCluster): Promise<void> {
  const { counts, seed: used } = await runSuiteOn(cluster.addresses, 3);
  console.log(JSON.stringify({ suite: counts, seed: used }));
  if (counts.failed > 0) process.exitCode = 1;
}
