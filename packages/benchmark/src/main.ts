// `npm run bench`: what the backends cost, as ratios to limits that are measured in the same run.
import { check } from './report/check.ts';
import { publish } from './report/publish.ts';
import { readResult } from './report/result.ts';
import { readOptions, usage } from './runner/options.ts';
import { run } from './runner/suite.ts';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(usage);
  // Read before the long work: a wrong path is reported at once, and the run may replace the file.
  const stored = options.check === undefined ? null : readResult(options.check);
  const result = await run(options);
  publish(result, 'latest', options);
  if (stored !== null) check(stored, result);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message.split('\n', 1)[0] : error);
  process.exitCode = 1;
});
