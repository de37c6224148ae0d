// The demonstration: validators of single-purpose processes agree on epochs while processes are killed, cut off, and the chain goes back.
import { parseArgs } from 'node:util';
import { Random, runScript } from 'mempool-testkit';
import { type FaultKind, play } from './demo/run.ts';
import { Stage } from './demo/stage.ts';
import { tableOf } from './demo/table.ts';
import { TrafficMaker } from './demo/traffic.ts';

const { values } = parseArgs({
  options: {
    epochs: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 32)) },
    logs: { type: 'string' },
    soak: { type: 'boolean', default: false },
  },
});
const epochs = Number(values.epochs ?? (values.soak ? 200 : 20));
const seed = Number(values.seed);
if (!Number.isSafeInteger(epochs) || epochs < 1 || !Number.isSafeInteger(seed)) {
  console.error('usage: demo.ts [--epochs <n>] [--seed <n>] [--logs <folder>] [--soak]');
  process.exit(2);
}
await runScript(main);

/** Partitions and reorganisations, twice each; in a soak something with every third epoch. */
function faultPlan(random: Random): Map<number, FaultKind> {
  const at = (part: number): number => Math.min(epochs, Math.max(2, Math.ceil(epochs * part)));
  if (!values.soak)
    return new Map<number, FaultKind>([
      [at(0.15), 'partition'],
      [at(0.35), 'revert'],
      [at(0.55), 'partition'],
      [at(0.75), 'revert'],
    ]);
  const kinds: readonly FaultKind[] = ['partition', 'revert', 'freeze', 'redis', 'split'];
  const planned = new Map<number, FaultKind>();
  for (let epoch = 3; epoch < epochs - 3; epoch += 3)
    planned.set(epoch, kinds[random.below(kinds.length)] as FaultKind);
  return planned;
}

async function main(): Promise<void> {
  const random = new Random(seed);
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stopped.abort(new Error(`stopped by ${name}`)));
  console.error(`seed ${seed}`);
  let maker: TrafficMaker | null = null;
  const slotsOf = (domain: string): readonly string[] => {
    maker = new TrafficMaker(random, domain);
    return maker.addresses;
  };
  await using stage = await Stage.set({ logs: values.logs ?? null, slotsOf });
  console.error(`dashboard of ${stage.validators[0]?.name}: ${stage.monitor.url}/`);
  const plan = { epochs, faults: faultPlan(random), random, signal: stopped.signal };
  const outcome = await play(stage, maker as unknown as TrafficMaker, { ...plan, say: (line) => console.error(line) });
  console.log(tableOf(outcome));
  for (const violation of outcome.violations) console.error(`violation: ${violation}`);
  if (outcome.violations.length > 0) process.exitCode = 1;
}
