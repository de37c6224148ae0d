// Takes what there is under a lease of 500 ms of a clock that stands still, says so, and waits for its end.
import { writeSync } from 'node:fs';
import { sqlite } from 'mempool-sqlite';

const [path = '', nowMs = ''] = process.argv.slice(2);
const store = await sqlite.open({ path, ordering: 'priority', now: () => Number(nowMs) });
const { transactions } = await store.take({ maxTxs: 3 }, { owner: 'holder', leaseMs: 500 });
writeSync(1, `${JSON.stringify(transactions.map(({ hash }) => hash))}\n`);
setInterval(() => undefined, 60_000);
