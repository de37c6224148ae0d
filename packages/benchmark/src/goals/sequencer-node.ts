// One of two processes that check signatures: those that it is told to check alone, or those that a gateway has stored.
import { Dequeuer, type Sequencer, type Submission } from 'mempool-sequencer';
import { loadSubject } from '../setup/subject.ts';
import { serveCrew } from './crew.ts';
import { isSignedBySlot, openParts, signedBySlot, submissionsOf } from './sequencer-load.ts';

const [path = ''] = process.argv.slice(2);
const owner = `checker-${process.pid}`;
const subject = await loadSubject(path);
let submissions: Submission[] = [];
let sequencer: Sequencer | null = null;
let stop = new AbortController();
let running: Promise<void> = Promise.resolve();

const verbs = {
  prepare(count: number) {
    submissions = submissionsOf(1, count, count).map(signedBySlot);
  },
  alone() {
    for (const each of submissions) if (!isSignedBySlot(each)) throw new Error('a signature is not right');
  },
  async check(protocol: string) {
    sequencer = await openParts(subject, protocol);
    stop = new AbortController();
    const options = { owner, verify: isSignedBySlot, isSlot: () => true, maxTxs: 500, idleMs: 5 };
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
