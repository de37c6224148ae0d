/** The soak of the histories: one long history on a pool of each backend and ordering, compared with the model after every call. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkHistory, type HistoryScope } from 'mempool-conformance';
import { provideRedis, runScript } from 'mempool-testkit';

const help = `npm run test:soak:histories -- [--backend ephemeral|sqlite|redis …] [--ordering fifo|priority …] [--steps 100000] [--seed N]`;
const progressSteps = 5_000;
const shortenMs = 120_000;

const { values: given } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    backend: { type: 'string', multiple: true, default: ['ephemeral', 'sqlite', 'redis'] },
    ordering: { type: 'string', multiple: true, default: ['fifo', 'priority'] },
    steps: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});

async function soak(backend: string, ordering: string, seed: number, steps: number): Promise<void> {
  const scope: HistoryScope = ordering === 'priority' ? 'priority' : 'fifo';
  const { poolsOf } = await import('./subjects.ts');
  await using source = await poolsOf(backend);
  const begin = performance.now();
  const onStep = (done: number): void => {
    const seconds = Math.round((performance.now() - begin) / 1_000);
    if (done % progressSteps === 0)
      console.error(`${backend} ${scope}: ${done} of ${steps} calls, ${seconds} s, seed ${seed}`);
  };
  await checkHistory({ seed, steps, scope, open: source.open, onStep, shortenMs });
  console.log(`${backend} ${scope}: ${steps} calls as the rules say, seed ${seed}`);
}

async function main(): Promise<void> {
  if (given.help) return console.log(help);
  await using _redis = await provideRedis();
  for (const backend of given.backend)
    for (const ordering of given.ordering) await soak(backend, ordering, Number(given.seed), Number(given.steps));
}

await runScript(main);
