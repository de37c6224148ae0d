// One of many nodes on a pool, in a process of its own: it writes when it is told to, or subscribes several times and counts.
import type { MempoolStore } from 'mempool-core';
import { batches, freshTransactions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { inCalls } from '../workloads/workload.ts';
import { serveCrew } from './crew.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
const stores: MempoolStore[] = [];
let calls = batches(freshTransactions(0), 1);
let seen = 0;

async function count(store: MempoolStore): Promise<void> {
  for await (const _ of await store.subscribe()) seen += 1;
}

const verbs = {
  async open(wanted: number) {
    for (let i = 0; i < wanted; i += 1) stores.push(await subject.open(pool));
  },
  prepare(wanted: number) {
    calls = batches(freshTransactions(wanted), 100);
  },
  write: () => inCalls(calls, (call) => (stores[0] as MempoolStore).receive(call)),
  subscribe() {
    for (const store of stores) void count(store);
  },
  seen: () => seen,
  async close() {
    for (const store of stores.splice(0)) await store.close();
    seen = 0;
  },
};

export type CrowdVerbs = typeof verbs;
serveCrew(verbs);
