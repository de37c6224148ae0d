// A node in a process of its own that reaps a pool without end between `reap` and `rest`; then it reports how often it did.
import { priorityOptions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';
import { reaperHere } from './reaping.ts';

const [path, pool, count] = process.argv.slice(2) as [string, string, string];
const store = await (await loadSubject(path)).open(pool, priorityOptions);
const reaper = reaperHere(store, Number(count));

serveCrew({
  async reap() {
    // It catches up with the writes that it missed before it reports that it reaps.
    await store.reap({ maxTxs: Number(count) });
    await reaper.reap();
  },
  rest: () => reaper.rest(),
});
