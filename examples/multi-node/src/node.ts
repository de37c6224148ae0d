/** One node, a process of its own: takes transactions in, follows the chain, and while it leads applies the chain to the pool. */
import { blockEntry, FailoverRecorder } from 'mempool-conformance/failover';
import { type Mempool, type MempoolEvent, openMempool, type Transaction, Watcher } from 'mempool-core';
import { createElection, type Election } from 'mempool-election';
import { redis, redisElection } from 'mempool-redis';
import type { FromNode, NodeTask, ToNode } from './node-message.ts';
import { poolSettings } from './pool-settings.ts';
import { RemoteChain } from './remote-chain.ts';

const task = JSON.parse(process.argv[2] ?? '') as NodeTask;
const stopped = Promise.withResolvers<void>();
// Not longer than the process that started it.
const endWithParent = () => process.exit(1);
process.once('disconnect', endWithParent);
// It may have ended while this was loaded.
if (!process.connected) endWithParent();

// A terminal tells all processes at once; this one ends as its parent says.
process.on('SIGINT', () => {});

const recorder = new FailoverRecorder(task.record, task.nodeId);
await using mempool = await openMempool(poolSettings(task), { redis });
const watching = watch(await mempool.subscribe());
const { nodeId, url, ttlMs, pool: keyPrefix } = task;
const options = { nodeId, url, keyPrefix, ttlMs, pollMs: Math.min(500, Math.floor(ttlMs / 4)) };
const election = createElection(recorder.provider(redisElection), options);
recorder.election(election);
const source = new RemoteChain(tell);
// What the calls that need the lease do is written down.
const pool = { ...recorder.pool(mempool), tip: mempool.tip.bind(mempool) };
const watcher = new Watcher({ election, pool, source });
tellAll(election, watcher);
process.on('message', (message: ToNode) => take(message));

await watcher.start();
await election.start();
tell({ kind: 'started' });
await stopped.promise;
await watcher.stop();
await election.stop();
await mempool.close();
await watching;
process.off('disconnect', endWithParent);
process.disconnect();

function tell(message: FromNode): void {
  if (process.connected) process.send?.(message);
}

function tellAll(from: Election, work: Watcher): void {
  from.on('acquired', ({ term }) => tell({ kind: 'acquired', term }));
  from.on('lost', ({ term, reason }) => tell({ kind: 'lost', term, reason }));
  work.on('ready', ({ term }) => tell({ kind: 'ready', term }));
  work.on('applied', ({ term }) => tell({ kind: 'applied', term }));
  work.on('diverged', () => tell({ kind: 'failed', why: 'the pool and the chain have no block in common' }));
  work.on('failed', ({ error }) => tell({ kind: 'failed', why: String(error) }));
}

function take(message: ToNode): void {
  switch (message.kind) {
    case 'submit':
      void submit(mempool, message.id, message.transactions);
      break;
    case 'found':
      source.found(message);
      break;
    case 'step':
      source.step(message.search, message.step);
      break;
    case 'resign':
      void election.resign();
      break;
    case 'stop':
      stopped.resolve();
  }
}

/** Every node sees every block event, whoever applied the block, and all must have seen the same. */
async function watch(events: AsyncIterable<MempoolEvent>): Promise<void> {
  for await (const event of events) {
    const entry = blockEntry(event);
    if (entry !== null) recorder.write(entry);
  }
}

/** What a node does with transactions before a block carries them. Each step has an id, so that another node may repeat it. */
async function submit(to: Mempool, id: string, transactions: readonly Transaction[]): Promise<void> {
  const hashes = transactions.map(({ hash }) => hash);
  try {
    await to.receive(transactions, { operationId: `${id}/receive` });
    await to.markInflight(hashes, { operationId: `${id}/in-flight` });
    await to.markAcknowledged(hashes, { operationId: `${id}/acknowledged` });
    tell({ kind: 'submitted', id });
  } catch {
    tell({ kind: 'refused', id });
  }
}
