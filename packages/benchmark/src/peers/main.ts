// `npm run bench:peers`: what others offer beside ours, in speed and where a connection is cut.
import { parseArgs } from 'node:util';
import { figureOf, take } from '../goals/measure.ts';
import type { Figure } from '../report/figure.ts';
import { machineOf } from '../report/machine.ts';
import { publish } from '../report/publish.ts';
import { type Result, resultFormat } from '../report/result.ts';
import { count } from '../runner/options.ts';
import { withFolder } from '../setup/context.ts';
import { startServer } from '../setup/redis-server.ts';
import { bullmqByCallers, bullmqOwnIds } from './bullmq.ts';
import { cutNote, cutTable } from './cuts.ts';
import { ours } from './ours.ts';
import { peerMeasures } from './speeds.ts';

const usage = `npm run bench:peers -- [options]
  --rounds <count>    rounds of every row, instead of 7
  --out <folder>      where peers.md and peers.json go; a run of all rounds replaces those of the package`;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { rounds: text, out: text, help: { type: 'boolean' } } });
  if (values.help) return console.log(usage);
  const rounds = count('--rounds', values.rounds, 1);
  const began = new Date();
  await withFolder(async (folder) => {
    const redis = await startServer(folder);
    process.env.MEMPOOL_TEST_REDIS_URL = redis.url;
    try {
      const machine = machineOf(folder, 1);
      const goals: Figure[] = [];
      for (const measure of peerMeasures(redis.url)) {
        console.error(measure.title);
        goals.push(figureOf(await take(measure, { rounds, pass: { index: 0, count: 1 } })));
      }
      const markdown = `${cutNote}\n\n${await cutTable(redis.url, [ours, bullmqByCallers(1), bullmqOwnIds])}`;
      const result: Result = {
        ...{ format: resultFormat, date: began.toISOString(), minutes: (Date.now() - began.getTime()) / 60_000 },
        ...{ sizes: [1_000, 10_000], passes: { peers: 1 }, machine, rows: [], goals },
        sections: [{ title: 'A connection cut before the reply', markdown }],
      };
      publish(result, 'peers', { whole: rounds === undefined, out: values.out });
    } finally {
      await redis.stop();
    }
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message.split('\n', 1)[0] : error);
  process.exitCode = 1;
});
