// A process that opens a large priority pool for the first time and makes one call, or that writes to it meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { anyStore } from 'mempool-core/backend';
import { pricedTransactions, priorityOptions } from '../setup/samples.ts';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';

const [path, pool] = process.argv.slice(2) as [string, string];
const subject = await loadSubject(path);
const resolutionMs = 1;
let isWriting = false;
let writing: Promise<void> = Promise.resolve();

const verbs = {
  /** Opens the pool and writes to it once. */
  async open() {
    const call = pricedTransactions(1);
    const delay = monitorEventLoopDelay({ resolution: resolutionMs });
    delay.enable();
    // It counts from its first tick on.
    await pause(5 * resolutionMs);
    const start = performance.now();
    const store = anyStore(await subject.open(pool, priorityOptions));
    await store.receive(call);
    const tookMs = performance.now() - start;
    // The turn in which the answer came counts, too.
    await pause(2 * resolutionMs);
    delay.disable();
    await store.close();
    return { tookMs, blockMs: delay.max / 1e6 - resolutionMs };
  },
  /** Writes until `rest`. */
  async write() {
    const store = anyStore(await subject.open(pool, priorityOptions));
    isWriting = true;
    const writeOn = async (): Promise<void> => {
      for (; isWriting; await turn()) await store.receive(pricedTransactions(1));
      await store.close();
    };
    writing = writeOn();
  },
  rest() {
    isWriting = false;
    return writing;
  },
};

export type ColdVerbs = typeof verbs;
serveCrew(verbs);
