/** The soak of priority pools: one long history of chance on each backend, compared with the model after every call. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { checkPriorityHistory } from 'mempool-conformance';
import { provideRedis, runScript } from 'mempool-testkit';

const help = `npm run test:soak:priority -- [--backend ephemeral|sqlite|redis|sqlite-nodes|redis-nodes …] [--steps 100000] [--seed N]`;
const progressSteps = 5_000;
const shortenMs = 120_000;

const { values: given } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    backend: { type: 'string', multiple: true, default: ['ephemeral', 'sqlite', 'redis'] },
    steps: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});

async function soak(backend: string, seed: number, steps: number): Promise<void> {
  const { poolSources, sharedPoolSources } = await import('./priority-subjects.ts');
  const shared = Object.entries(sharedPoolSources).map(([name, makeNodes]) => [`${name}-nodes`, makeNodes] as const);
  const makeSource = { ...poolSources, ...Object.fromEntries(shared) }[backend];
  if (makeSource === undefined) throw new Error(`there is no backend ${backend}\n${help}`);
  await using source = await makeSource();
  const begin = performance.now();
  const onStep = (done: number): void => {
    const seconds = Math.round((performance.now() - begin) / 1_000);
    if (done % progressSteps === 0) console.error(`${backend}: ${done} of ${steps} calls, ${seconds} s, seed ${seed}`);
  };
  await checkPriorityHistory({ seed, steps, open: source.open, onStep, shortenMs });
  console.log(`${backend}: ${steps} calls as the rules say, seed ${seed}`);
}

async function main(): Promise<void> {
  if (given.help) return console.log(help);
  await using _redis = await provideRedis();
  for (const backend of given.backend) await soak(backend, Number(given.seed), Number(given.steps));
}

await runScript(main);
