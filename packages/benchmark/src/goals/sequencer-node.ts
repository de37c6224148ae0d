// A process that answers for the submissions that a gateway has stored.
import { Dequeuer, type Sequencer } from 'mempool-sequencer';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';
import { openParts } from './sequencer-load.ts';

const [path = ''] = process.argv.slice(2);
const owner = `checker-${process.pid}`;
const subject = await loadSubject(path);
let sequencer: Sequencer | null = null;
let stop = new AbortController();
let running: Promise<void> = Promise.resolve();

const verbs = {
  async check(protocol: string) {
    sequencer = await openParts(subject, protocol);
    stop = new AbortController();
    const options = { owner, maxTxs: 500, idleMs: 5 };
    running = new Dequeuer(sequencer.namespace, options).run({ signal: stop.signal });
  },
  async end() {
    stop.abort();
    await running;
    await sequencer?.close();
  },
};

export type CheckerVerbs = typeof verbs;
serveCrew(verbs);
