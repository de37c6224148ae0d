/** Several nodes, each a process, share one pool on Redis. In the end all of them have seen the same. */
import { fork as startProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { useOwnRedis } from 'cardano-replay/own-redis';
import { openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import type { NodeReport, NodeTask } from './task.ts';

const help = `Several processes that share one mempool on Redis.

  --url <url>      the Redis to use; without it one is started for the run, kept under .data/redis
  --pool <name>    the pool on it; default multi-node
  --nodes <n>      how many processes, 1–16; default 3`;

const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));

try {
  await main();
} catch (error) {
  const cause: unknown = stopped.signal.reason ?? error;
  process.exitCode = 1;
  console.error(`multi-node: ${cause instanceof Error ? cause.message : cause}`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      pool: { type: 'string', default: 'multi-node' },
      nodes: { type: 'string', default: '3' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(help);
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 16) throw new Error('--nodes must be 1–16');
  await using server = values.url === undefined ? await useOwnRedis('.data/redis') : null;
  const url = values.url ?? server?.url ?? '';
  console.log(`${nodes} processes on the pool ${values.pool} at ${new URL(url).host}`);
  const tasks = await plan(url, values.pool, nodes);
  const reports = await Promise.all(tasks.map(runNode));
  console.table(Object.fromEntries(reports.map(({ node, ...rest }) => [`node ${node}`, row(rest)])));
  judge(reports);
}

/** The pool may be that of an earlier run: this one begins at its tip and behind its last event. */
async function plan(url: string, pool: string, nodes: number): Promise<NodeTask[]> {
  await using mempool = await openMempool(
    { backend: 'redis', url, pool },
    { redis },
    { log: (_, line) => console.error(line) },
  );
  const { point: start } = await mempool.tip();
  const { lastEventSeq: after } = await mempool.usage();
  const run = randomUUID();
  return Array.from({ length: nodes }, (_, node) => ({ url, pool, plan: { run, nodes, start }, node, after }));
}

/** One that fails ends them all: the others would wait for it. */
async function runNode(task: NodeTask): Promise<NodeReport> {
  const { signal } = stopped;
  const child = startProcess(fileURLToPath(new URL('node.ts', import.meta.url)), [JSON.stringify(task)], { signal });
  let report: NodeReport | null = null;
  child.once('message', (message: NodeReport) => {
    report = message;
  });
  const [code] = await once(child, 'exit');
  if (report !== null && code === 0) return report;
  stopped.abort(new Error(`node ${task.node} ended with exit code ${code}`));
  throw signal.reason;
}

function row({ digest, isTrue, ...counts }: Omit<NodeReport, 'node'>): Record<string, string | number> {
  return { ...counts, view: digest.slice(0, 8), 'as the pool says': isTrue ? 'yes' : 'no' };
}

/** @throws when the nodes do not agree with each other and with the pool */
function judge(reports: readonly NodeReport[]): void {
  const views = new Set(reports.map(({ digest }) => digest));
  if (views.size > 1) throw new Error(`${views.size} different views of one pool`);
  if (!reports.every(({ isTrue }) => isTrue)) throw new Error('the events and the pool do not agree');
  console.log(`${reports.length} nodes saw the same ${reports[0]?.events} events, and the pool agrees with them`);
}
