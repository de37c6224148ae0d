// One of two processes that check signatures: those that it is told to check alone, or those that a gateway has stored.
import { Dequeuer, type Sequencer, type Submission } from 'mempool-sequencer';
import { loadSubject } from '../setup/subject.ts';
import type { Told } from './sequencer.ts';
import { isSignedBySlot, openParts, signedBySlot, submissionsOf } from './sequencer-load.ts';

const [path = '', owner = ''] = process.argv.slice(2);
const subject = await loadSubject(path);
let submissions: Submission[] = [];
let sequencer: Sequencer | null = null;
let stop = new AbortController();
let running: Promise<void> = Promise.resolve();

async function obey(told: Told): Promise<number> {
  switch (told.kind) {
    case 'prepare':
      submissions = submissionsOf(1, told.count, told.count).map(signedBySlot);
      return 0;
    case 'alone':
      for (const each of submissions) if (!isSignedBySlot(each)) throw new Error('a signature is not right');
      return submissions.length;
    case 'check': {
      sequencer = await openParts(subject, told.protocol);
      stop = new AbortController();
      const options = { owner, verify: isSignedBySlot, isSlot: () => true, maxTxs: 500, idleMs: 5 };
      running = new Dequeuer(sequencer.namespace, options).run({ signal: stop.signal });
      return 0;
    }
    case 'end':
      stop.abort();
      await running;
      await sequencer?.close();
      return 0;
  }
}

process.on('message', async (told: Told) => process.send?.(await obey(told)));
process.once('disconnect', () => process.exit());
process.send?.(0);
