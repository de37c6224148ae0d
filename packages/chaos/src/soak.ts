/** The soak: a storm of random faults, and the same checks as in the demonstration. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durable, startRedisServer } from 'mempool-testkit';
import { readSoakSettings, soakHelp } from './command-line.ts';
import { makeRecord, play } from './play.ts';
import { runProgram } from './program.ts';
import { Storm } from './run/storm.ts';

/** Many blocks, so that a replacement often hits a leader in the middle of a call. */
const paceMs = 20;
const minuteMs = 60_000;
/** Of the time allowed, for settling and checking. */
const reserveMs = 30_000;

await runProgram('soak', async (signal) => {
  const settings = readSoakSettings(process.argv.slice(2));
  if (settings === null) return console.log(soakHelp);
  const untilMs = performance.now() + settings.minutes * minuteMs - reserveMs;
  const record = await makeRecord(settings);
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'mempool-soak-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const redis = stack.use(await startRedisServer({ dir: folder, args: durable }));
  console.error(`${settings.nodes} nodes on ${new URL(redis.url).host}, seed ${settings.seed}`);
  await play(settings, { record, url: redis.url, paceMs, signal }, async (parts) => {
    await new Storm(parts, redis).rage(settings.faults, untilMs);
    const { count } = parts.faults;
    if (count < settings.faults) throw new Error(`only ${count} faults in ${settings.minutes} minutes`);
  });
});
