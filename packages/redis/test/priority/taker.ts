// Takes lot after lot until there is nothing to take; says each as a line of JSON.
import { writeSync } from 'node:fs';
import { redis } from 'mempool-redis';

const [url = '', pool = '', owner = '', leaseMs = '', maxTxs = ''] = process.argv.slice(2);
const store = await redis.open({ url, pool, ordering: 'priority', timeoutMs: 30_000 });
for (;;) {
  const { untilMs, transactions } = await store.take({ maxTxs: Number(maxTxs) }, { owner, leaseMs: Number(leaseMs) });
  const said = JSON.stringify({ untilMs, hashes: transactions.map(({ hash }) => hash) });
  // Longer than it needs to be: the pipe is full soon, and nobody takes far ahead of whoever reads.
  writeSync(1, `${said.padEnd(8_192)}\n`);
  if (transactions.length === 0) break;
}
await store.close();
