// Opens a pool, which migrates it, and prints how many milliseconds that took. A thread kills the process so many milliseconds after the
// open began: opening blocks the main thread.
import { Worker } from 'node:worker_threads';
import { sqlite } from 'mempool-sqlite';
import { type SampleKind, sampleOptions } from 'mempool-testkit';

const [path = '', kind = 'fifo', killAfterMs = 'Infinity'] = process.argv.slice(2);
const begun = new Int32Array(new SharedArrayBuffer(4));
const killer = `
  const { workerData } = require('node:worker_threads');
  Atomics.wait(workerData.begun, 0, 0);
  const until = performance.now() + workerData.killAfterMs;
  while (performance.now() < until);
  process.kill(process.pid, 'SIGKILL');
`;
const worker = new Worker(killer, { eval: true, workerData: { begun, killAfterMs: Number(killAfterMs) } });
worker.once('online', async () => {
  const beginMs = performance.now();
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
  await using _ = await sqlite.open({ ...sampleOptions(kind as SampleKind), path });
  console.log(performance.now() - beginMs);
  if (killAfterMs === 'Infinity') process.exit();
});
