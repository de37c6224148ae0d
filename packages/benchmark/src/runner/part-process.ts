// Run in a process of its own: measures one part in one pass, and sends what it gave to whoever started it.

import { startServer } from '../backends/redis-server.ts';
import type { BenchContext } from './context.ts';
import { benchFolder, removeFolder } from './folder.ts';
import { touchMemory } from './kept-memory.ts';
import { type Measured, measurePart, needsRedis, type Part } from './part.ts';

/** What the process is told to do. */
export interface Job {
  readonly part: Part;
  readonly context: Pick<BenchContext, 'sizes' | 'rounds' | 'row' | 'ids' | 'pass'>;
}

/** What it answers. */
export type Answer =
  | { readonly kind: 'measured'; readonly measured: Measured }
  | { readonly kind: 'failed'; readonly message: string };

async function answer({ part, context }: Job): Promise<Answer> {
  // A single round is a quick look, which does not warm up either.
  if (context.rounds !== 1) touchMemory();
  const folder = benchFolder();
  // Subjects keep their files where the limits are measured: a temporary folder may be in memory.
  process.env.TMPDIR = folder;
  const redis = needsRedis(part) ? await startServer(folder) : null;
  if (redis !== null) process.env.MEMPOOL_TEST_REDIS_URL = redis.url;
  try {
    return { kind: 'measured', measured: await measurePart(part, { ...context, folder, redis }) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  } finally {
    await redis?.stop();
    removeFolder(folder);
  }
}

// Nobody waits for the answer any more: what it started ends with it.
process.once('disconnect', () => process.exit());
process.once('message', async (job: Job) => {
  const given = await answer(job);
  process.send?.(given, () => process.disconnect());
});
