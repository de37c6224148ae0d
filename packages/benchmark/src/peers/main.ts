// `npm run bench:peers`: what others offer beside ours, in speed and where a connection is cut.
import { parseArgs } from 'node:util';
import { check } from '../report/check.ts';
import { publish } from '../report/publish.ts';
import { type Result, readResult, resultFormat } from '../report/result.ts';
import { count } from '../runner/options.ts';
import { measuredApart } from '../runner/process.ts';
import { machineHere } from '../runner/suite.ts';
import { type Compared, peerGoals, peerSections } from './report.ts';

const usage = `npm run bench:peers -- [options]
  --rounds <count>    rounds of every row, instead of 7
  --check <file>      compares the ratios with those of a stored run; exit code 1 where one got worse
  --out <folder>      where peers.md and peers.json go; a run of all rounds replaces those of the package`;

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { rounds: text, check: text, out: text, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  const rounds = count('--rounds', values.rounds, 1);
  const stored = values.check === undefined ? null : readResult(values.check);
  const began = new Date();
  const machine = await machineHere('own', rounds);
  const asked = { sizes: [1_000, 2_500, 10_000], rounds, row: undefined, pass: { index: 0, count: 1 } };
  const job = { part: null, asked, server: 'own', place: null } as const;
  const compared = await measuredApart<Compared, null>(new URL('./child.ts', import.meta.url), job);
  const result: Result = {
    ...{ format: resultFormat, date: began.toISOString(), minutes: (Date.now() - began.getTime()) / 60_000 },
    ...{ sizes: asked.sizes, passes: { peers: 1 }, machine, rows: [] },
    goals: peerGoals(compared),
    sections: peerSections(compared),
  };
  publish(result, 'peers', { whole: rounds === undefined, out: values.out });
  if (stored !== null) check(stored, result);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message.split('\n', 1)[0] : error);
  process.exitCode = 1;
});
