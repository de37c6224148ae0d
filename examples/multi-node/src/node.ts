/** One node, a process of its own: takes in its share, sends it, and watches the whole pool. Node 0 also follows the chain. */
import { type Block, openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { arrivals, chain, fork, share, thresholds } from './plan.ts';
import type { NodeReport, NodeTask } from './task.ts';
import { View } from './view.ts';

const { url, pool, plan, node, after } = JSON.parse(process.argv[2] ?? '') as NodeTask;
const nodes = Array.from({ length: plan.nodes }, (_, index) => index);
// Not longer than the process that started it, and not because of it.
process.once('disconnect', () => process.exit());
process.channel?.unref();

const config = { backend: 'redis', deployment: 'multi-node', url, pool, ...thresholds } as const;
await using mempool = await openMempool(config, { redis });
const watching = watch();

const outcomes = await Promise.all(arrivals(plan, node).map((transaction) => mempool.submit(transaction)));
const own = share(plan, node).map(({ hash }) => hash);
await mempool.markInflight(own);
await mempool.markAcknowledged(own);
if (node === 0) await follow();

const view = await watching;
const received = outcomes.filter(({ kind }) => kind === 'received').length;
const known = outcomes.length - received;
const report: NodeReport = { node, received, known, isTrue: await view.isTrueOf(mempool), ...view.summary() };
process.send?.(report);

/** Everything that any node does, up to the last block. */
async function watch(): Promise<View> {
  const seen = new View();
  const end = chain(plan).at(-1)?.point.hash;
  for await (const event of await mempool.subscribe({ after })) {
    seen.take(event);
    if (event.kind === 'block' && event.point.hash === end) break;
  }
  return seen;
}

/** Waits until the peers have the transactions of all nodes, then applies the chain, with a fork that loses. */
async function follow(): Promise<void> {
  const all = nodes.flatMap((each) => share(plan, each)).map(({ hash }) => hash);
  await Promise.all(all.map((hash) => mempool.waitFor(hash, { stage: 'Acknowledged' })));
  const [first, ...rest] = chain(plan);
  if (first === undefined) return;
  await apply(first);
  await apply(fork(plan));
  await mempool.rollback(first.point);
  for (const block of rest) await apply(block);
}

async function apply(block: Block): Promise<void> {
  const { kind } = await mempool.confirm(block);
  if (kind !== 'applied') throw new Error(`${kind}: another program applies blocks to the pool ${pool}`);
}
