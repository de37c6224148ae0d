import { type Chain, openChain } from 'cardano-chains';
import { ChainFileError } from 'mempool-cardano';
import { isMempoolError } from 'mempool-core';
import { help, readCommandLine, type Settings } from './command-line.ts';
import { type Dashboard, openDashboard } from './dashboard.ts';
import { narrator } from './narrator.ts';
import { openPool, type Pool } from './pool.ts';
import { blocksIn, replay } from './replay.ts';
import { ReplayError, StoppedError } from './replay-error.ts';
import { describe, type Report, report } from './report.ts';
import { openScreen } from './screen.ts';
import { StageWatch } from './stage-watch.ts';

const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort(new StoppedError(name)));

try {
  const settings = readCommandLine(process.argv.slice(2));
  if (settings === null) console.log(help);
  else await run(settings);
} catch (error) {
  process.exitCode = error instanceof ReplayError ? error.exitCode : 1;
  console.error(isExpected(error) ? `cardano-replay: ${error.message}` : error);
}

/** What an operator can put right is one line; anything else is a fault of this program and shows where. */
function isExpected(error: unknown): error is Error {
  return error instanceof ReplayError || error instanceof ChainFileError || isMempoolError(error);
}

async function run(settings: Settings): Promise<void> {
  const startedMs = performance.now();
  const chain = await openChain(settings.file);
  await using pool = await openPool(settings, chain);
  const totals = await play(settings, chain, pool);
  const result: Report = { ...totals, seconds: Math.round(performance.now() - startedMs) / 1_000 };
  console.log(`\n${describe(result)}`);
  if (settings.json) console.log(JSON.stringify(result));
}

/** A replay that cannot be shown is one all the same. */
async function shown({ mempool }: Pool): Promise<Dashboard | null> {
  try {
    const dashboard = await openDashboard(mempool);
    console.error(`dashboard, while the chain is replayed: ${dashboard.url}`);
    return dashboard;
  } catch (error) {
    console.error(`cardano-replay: no dashboard: ${(error as Error).message}`);
    return null;
  }
}

async function play({ forkEvery, dashboard }: Settings, chain: Chain, pool: Pool): Promise<Omit<Report, 'seconds'>> {
  const store = pool.mempool;
  const total = chain.points.length;
  const done = blocksIn(chain, (await store.tip()).point, forkEvery);
  await using _shown = dashboard ? await shown(pool) : null;
  console.log(introduction(chain, forkEvery, pool, done));
  const { lastEventSeq } = await store.usage();
  const screen = openScreen(total, done);
  try {
    const watch = await StageWatch.open(store, narrator(lastEventSeq, screen.say));
    // The last block is shown when all of its events are here.
    const onBlock = (blocks: number) => void (blocks < total && screen.show(blocks, watch.stages));
    await replay(store, chain, done, { forkEvery, signal: stopped.signal, onBlock });
    await watch.caughtUp();
    screen.show(total, watch.stages);
    return await report(store, chain, { applied: total - done, rolledBack: watch.rolledBack.size });
  } finally {
    screen.end();
  }
}

function introduction({ title, points, hashes }: Chain, forkEvery: number, { where }: Pool, done: number): string {
  const forks = forkEvery === 0 ? 'no forks' : `a fork every ${forkEvery} blocks`;
  const resumed = done === 0 ? '' : `, which has ${done} of the blocks`;
  return `${title}: ${points.length} blocks, ${hashes.length} transactions, ${forks}\ninto ${where}${resumed}`;
}
