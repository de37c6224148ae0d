import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { places } from '../backends/backend.ts';
import { keptMemory, keptPages } from './kept-memory.ts';
import type { Measured, Part } from './part.ts';
import type { Answer, Job } from './part-process.ts';

const program = fileURLToPath(new URL('./part-process.ts', import.meta.url));

/** Shapes of objects stay known from one turn to the next, as in a process in use: else code compiled for them is thrown away in the pauses. */
const flags = ['--retain-maps-for-n-gc=1000000'];

/**
 * For what is kept elsewhere: V8 begins no full collection where not even one is forced, as its marking takes the other processor from
 * the server. A bare pipeline was seen to cost 6 or 12 µs a transaction by that alone. What is kept in this heap would pay for
 * fresh pages instead.
 */
const unmarked = ['--heap-growing-percent=1000', '--no-memory-reducer'];

/** A backend of somebody else is taken for one in memory. */
function flagsOf(part: Part): readonly string[] {
  if (part.kind === 'peers') return flags;
  const place = part.kind === 'foreign' ? 'heap' : places[part.name];
  return [...flags, ...(place === 'heap' ? keptPages : unmarked)];
}

/** Measures in a process of its own, with the flags of this one and its own. @throws Error with what was wrong there */
export async function measuredApart(job: Job): Promise<Measured> {
  // As structured clones: costs may be in maps, and not finite.
  const child = fork(program, {
    serialization: 'advanced',
    execArgv: [...process.execArgv, ...flagsOf(job.part)],
    env: { ...process.env, ...keptMemory },
  });
  const answer = await new Promise<Answer>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`what measured ended without a result: ${signal ?? code}`)));
    child.send(job);
  });
  if (answer.kind === 'failed') throw new Error(answer.message);
  return answer.measured;
}
