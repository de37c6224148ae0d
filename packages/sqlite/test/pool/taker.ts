// Takes claim after claim until there is nothing to take, and prints each as a line of JSON.
import { writeSync } from 'node:fs';
import type { Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';

const [path = '', ordering = '', owner = '', claimMs = ''] = process.argv.slice(2);
const store = await sqlite.open({ path, ordering: ordering as Ordering, timeoutMs: 30_000 });
for (;;) {
  const { claimId, untilMs, transactions } = await store.take({ maxTxs: 3 }, { owner, claimMs: Number(claimMs) });
  if (transactions.length === 0) break;
  const said = JSON.stringify({ claimId, untilMs, seqs: transactions.map(({ seq }) => seq) });
  // Longer than it needs to be: the pipe is soon full, so nobody takes far ahead of the reader.
  writeSync(1, `${said.padEnd(8_192)}\n`);
}
await store.close();
