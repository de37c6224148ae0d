// Takes lot after lot until there is nothing to take; says each as a line of JSON.
import { writeSync } from 'node:fs';
import { redis } from 'mempool-redis';

const [url = '', pool = '', owner = '', leaseMs = ''] = process.argv.slice(2);
const store = await redis.open({ url, pool });
for (;;) {
  const { leaseId, untilMs, transactions } = await store.take({ maxTxs: 3 }, { owner, leaseMs: Number(leaseMs) });
  if (transactions.length === 0) break;
  writeSync(1, `${JSON.stringify({ leaseId, untilMs, seqs: transactions.map(({ seq }) => seq) })}\n`);
}
await store.close();
