// Holds the leases of the elections named for an hour, until it is killed.
import { type LeaseStore, systemClock } from 'mempool-election';
import { sqliteElection } from 'mempool-sqlite';

const [path = '', ...names] = process.argv.slice(2);
const hourMs = 3_600_000;
const stores: LeaseStore[] = [];
for (const name of names) {
  const agreed = { name, ttlMs: hourMs, commandTimeoutMs: 10_000, clock: systemClock, log: () => undefined };
  const store = await sqliteElection.open({ ...agreed, path });
  await store.campaign({
    candidate: { nodeId: 'holder', address: null, priority: 0 },
    token: `token-of-holder-of-${name}`,
    ...{ ttlMs: hourMs, floor: 0, dataLoss: 'wait', takeover: null },
  });
  stores.push(store);
}
console.log(JSON.stringify({ nodeId: 'holder', kind: 'holds' }));
// A store that nobody refers to any more would be closed.
setInterval(() => stores, hourMs);
