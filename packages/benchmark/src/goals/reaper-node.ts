// A node in a process of its own that reaps a pool without end between `reap` and `rest`; then it says how often it did.
import { setImmediate as turn } from 'node:timers/promises';
import { loadSubject } from '../backends/subject.ts';
import { ranked } from '../workloads/ranked-sample.ts';

const [path, pool, count] = process.argv.slice(2) as [string, string, string];
const store = await (await loadSubject(path)).open(pool, ranked.options);
const reap = () => store.reap({ maxTxs: Number(count) });
let reaping: Promise<number> = Promise.resolve(0);
let resting = true;

async function reapOn(): Promise<number> {
  for (let reaped = 0; ; reaped++) {
    if (resting) return reaped;
    await reap();
    // Lets the word to rest come in.
    await turn();
  }
}

process.on('message', async (word) => {
  resting = word === 'rest';
  if (!resting) {
    // What it missed is read before it says that it is at it.
    await reap();
    reaping = reapOn();
  }
  process.send?.(resting ? await reaping : 0);
});
process.once('disconnect', () => process.exit());
process.send?.(0);
