/** The spam soak: 200 senders flood a priority pool of each backend. Fails if the honest sender pays for it. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { provideRedis, Random, runScript } from 'mempool-testkit';
import { SpammedPool } from './spam.ts';

const help = `npm run test:soak:spam -- [--backend ephemeral|sqlite|redis …] [--calls 100000] [--seed N]`;
const senders = 200;
/** Calls of spammers between two rounds of the honest sender. */
const spamOfRound = 100;
const roundsOfBlock = 10;
/** How often the time of a flooded pool may be that of a quiet one. */
const goal = 2;

const { values: given } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    backend: { type: 'string', multiple: true, default: ['ephemeral', 'sqlite', 'redis'] },
    calls: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
}

/** A flooded and a quiet pool in turns: the same honest calls in both, so the machine's mood is in both times. */
async function soak(backend: string, calls: number, seed: number): Promise<void> {
  const { poolsOf } = await import('./subjects.ts');
  await using source = await poolsOf(backend);
  const options = { senders, random: new Random(seed), limits: {} };
  await using flooded = await SpammedPool.open({ ...options, open: (given) => source.open(given, 1) });
  await using quiet = await SpammedPool.open({ ...options, open: (given) => source.open(given, 2) });
  const times = { flooded: [] as number[], quiet: [] as number[] };
  for (let round = 1; round * spamOfRound <= calls; round++) {
    for (let i = 0; i < spamOfRound; i++) await flooded.spam();
    times.flooded.push(await flooded.sendHonestly());
    times.quiet.push(await quiet.sendHonestly());
    if (round % roundsOfBlock > 0) continue;
    const mined = [await flooded.mine(), await quiet.mine()];
    if (mined.some((count) => count !== 3 * roundsOfBlock)) throw new Error(`${backend}: a block carried ${mined}`);
  }
  const full = (list: readonly number[]): number => median(list.slice(list.length >> 1));
  const ratio = full(times.flooded) / full(times.quiet);
  const { load } = await flooded.store.usage();
  console.log(
    `${backend}: ${load?.parked} parked; spam ${told(flooded.told.spam)}; honest ${told(flooded.told.honest)}`,
  );
  console.log(`${backend}: two ready transactions take ${ratio.toFixed(2)} of a quiet pool's time, seed ${seed}`);
  const isAdmitted = ['parked', 'received'].length === flooded.told.honest.size;
  if (!isAdmitted) throw new Error(`${backend}: an honest transaction was refused: ${told(flooded.told.honest)}`);
  if (ratio > goal) throw new Error(`${backend}: the flood costs the honest sender ${ratio.toFixed(2)} × its time`);
}

function told(counts: ReadonlyMap<string, number>): string {
  return JSON.stringify(Object.fromEntries(counts));
}

async function main(): Promise<void> {
  if (given.help) return console.log(help);
  await using _redis = await provideRedis();
  for (const backend of given.backend) await soak(backend, Number(given.calls), Number(given.seed));
}

await runScript(main);
