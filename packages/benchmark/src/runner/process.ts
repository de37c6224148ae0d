import { fork } from 'node:child_process';
import type { BackendName } from '../limits/backend.ts';
import { places } from '../limits/backend.ts';
import { type Asked, type BenchContext, withFolder } from '../setup/context.ts';
import { startServer } from '../setup/redis-server.ts';
import { startOf, touchMemory } from './memory.ts';

/** The job of a separate measuring process. */
interface Job {
  readonly name: BackendName;
  readonly asked: Asked;
}

type Answer<T> =
  | { readonly kind: 'measured'; readonly measured: T }
  | { readonly kind: 'failed'; readonly message: string };

/** Measures in a process of its own that runs `program`. @throws Error with the message of the error there */
export async function measuredApart<T>(program: URL, job: Job): Promise<T> {
  // As structured clones: costs may be in maps, and not finite.
  const child = fork(program, { serialization: 'advanced', ...startOf(places[job.name]) });
  const answer = await new Promise<Answer<T>>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`the measuring process ended without a result: ${signal ?? code}`)),
    );
    child.send(job);
  });
  if (answer.kind === 'failed') throw new Error(answer.message);
  return answer.measured;
}

/** In such a process: measures the job that it is sent, and sends the result back. */
export function serve<T>(measure: (name: BackendName, context: BenchContext) => Promise<T>): void {
  // Nobody waits for the answer any more, so this process ends, with everything that it started.
  process.once('disconnect', () => process.exit());
  process.once('message', async (job: Job) => {
    const answer = await withFolder((folder) => answered(job, folder, measure)).then(
      (measured): Answer<T> => ({ kind: 'measured', measured }),
      (error): Answer<T> => ({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
    process.send?.(answer, () => process.disconnect());
  });
}

async function answered<T>({ name, asked }: Job, folder: string, measure: Parameters<typeof serve<T>>[0]): Promise<T> {
  // A single round is a quick look, which does not warm up either.
  if (asked.rounds !== 1) touchMemory();
  // Subjects keep their files where the limits are measured: a temporary folder may be in memory.
  process.env.TMPDIR = folder;
  const redis = places[name] === 'server' ? await startServer(folder) : null;
  if (redis !== null) process.env.MEMPOOL_TEST_REDIS_URL = redis.url;
  try {
    return await measure(name, { ...asked, folder, redis });
  } finally {
    await redis?.stop();
  }
}
