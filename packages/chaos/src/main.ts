/** The fail-over demonstration: the leader is killed again and again, and nothing is lost or applied twice. */
import { findRedis } from 'mempool-testkit';
import { demoHelp, readDemoSettings } from './command-line.ts';
import { makeRecord, play } from './play.ts';
import { runProgram } from './program.ts';
import { killLeaders } from './run/fault-plan.ts';

/** A block every so often: a leader that died leaves its successor a backlog. */
const paceMs = 100;

await runProgram('failover', async (signal) => {
  const settings = readDemoSettings(process.argv.slice(2));
  if (settings === null) return console.log(demoHelp);
  const record = await makeRecord(settings);
  await using stack = new AsyncDisposableStack();
  const url = settings.url ?? stack.use(await findRedis()).url;
  console.error(`${settings.nodes} nodes on ${new URL(url).host}, seed ${settings.seed}`);
  await play(settings, { record, url, paceMs, signal }, (parts) => killLeaders(parts, settings.kills));
});
