// One of many nodes on a pool, in a process of its own: it writes when it is told to, or subscribes several times and counts.
import type { MempoolStore } from 'mempool-core';
import { batches, freshTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { inCalls } from '../workloads/workload.ts';
import type { Told } from './crowd.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
const stores: MempoolStore[] = [];
let calls = batches(freshTransactions(0), 1);
let seen = 0;

async function count(store: MempoolStore): Promise<void> {
  for await (const _ of await store.subscribe()) seen += 1;
}

async function obey(told: Told): Promise<number> {
  switch (told.kind) {
    case 'open':
      for (let i = 0; i < told.count; i += 1) stores.push(await subject.open(pool));
      return 0;
    case 'prepare':
      calls = batches(freshTransactions(told.count), 100);
      return 0;
    case 'write':
      await inCalls(calls, (call) => (stores[0] as MempoolStore).receive(call));
      return 0;
    case 'subscribe':
      for (const store of stores) void count(store);
      return 0;
    case 'seen':
      return seen;
    case 'close':
      for (const store of stores.splice(0)) await store.close();
      seen = 0;
      return 0;
  }
}

process.on('message', async (told: Told) => process.send?.(await obey(told)));
process.once('disconnect', () => process.exit());
process.send?.(0);
