import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Measured } from './part.ts';
import type { Answer, Job } from './part-process.ts';

const program = fileURLToPath(new URL('./part-process.ts', import.meta.url));

/** Measures in a process of its own, with the flags of this one. @throws Error with what was wrong there */
export async function measuredApart(job: Job): Promise<Measured> {
  // As structured clones: costs may be in maps, and not finite.
  const child = fork(program, { serialization: 'advanced' });
  const answer = await new Promise<Answer>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`what measured ended without a result: ${signal ?? code}`)));
    child.send(job);
  });
  if (answer.kind === 'failed') throw new Error(answer.message);
  return answer.measured;
}
