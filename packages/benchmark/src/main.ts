// `npm run bench`: what the backends cost, as ratios to limits that are measured in the same run.
import { join } from 'node:path';
import { compare, type Finding } from './report/check.ts';
import { digits } from './report/format.ts';
import { quoteIn, readmes, resultsFolder, write } from './report/publish.ts';
import { report } from './report/report.ts';
import { type Result, readResult } from './report/result.ts';
import { partialFolder } from './runner/folder.ts';
import { type Options, readOptions, usage } from './runner/options.ts';
import { run } from './runner/suite.ts';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  // Read before the long work: a wrong path is told at once, and the run may replace the file.
  const stored = options.check === undefined ? null : readResult(options.check);
  // What there is after each part is written beside: a long run that is ended leaves it behind.
  const result = await run(options, (soFar) => write(soFar, options.out ?? partialFolder));
  publish(result, options);
  if (stored !== null) check(stored, result);
}

function publish(result: Result, { whole, out }: Options): void {
  const folder = out ?? (whole ? resultsFolder : partialFolder);
  const markdown = report(result);
  write(result, folder);
  if (folder === resultsFolder) quoteIn(readmes, markdown);
  console.log(markdown);
  console.error(`${digits(result.minutes)} minutes; written to ${join(folder, 'latest.{md,json,svg}')}`);
}
function check(stored: Result, now: Result): void {
  const { compared, missing, worse, unsure } = compare(stored, now);
  const show = ({ key, stored, now }: Finding): string => `  ${key}: ${digits(stored)} → ${digits(now)}`;
  if (unsure.length > 0)
    console.error(`perhaps worse, the spread is too wide to tell:\n${unsure.map(show).join('\n')}`);
  if (worse.length > 0) console.error(`worse:\n${worse.map(show).join('\n')}`);
  console.error(`${compared} ratios compared, ${worse.length} worse; ${missing} of the stored run not measured`);
  if (worse.length > 0 || compared === 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message.split('\n', 1)[0] : error);
  process.exitCode = 1;
}
