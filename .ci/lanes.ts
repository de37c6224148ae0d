import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A command whose output is printed only if it fails. */
export interface Job {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** More than the cores, because much of the time is spent waiting for disks, leases and child processes. */
const laneCount = 2 * availableParallelism();
/** A line that the suite's command prints for a case with the expected result. */
const isFine = /^(passed|unsupported) /;

/** Runs jobs in parallel, started in their order, and reports each when it has ended. @throws naming those that failed */
export async function runInLanes(jobs: readonly Job[]): Promise<void> {
  const failed: string[] = [];
  const waiting = jobs.values();
  const lane = async (): Promise<void> => {
    for (const job of waiting) if (!(await endsWell(job))) failed.push(job.title);
  };
  await Promise.all(Array.from({ length: laneCount }, lane));
  if (failed.length > 0) throw new Error(`failed: ${failed.join('; ')}`);
}

async function endsWell(job: Job): Promise<boolean> {
  const begin = performance.now();
  const { code, output } = await outputOf(job);
  const lines = output.trimEnd().split('\n');
  const seconds = Math.round((performance.now() - begin) / 1_000);
  console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${job.title} (${seconds} s): ${lines.at(-1)}`);
  if (code !== 0) console.log(lines.filter((line) => !isFine.test(line)).join('\n'));
  return code === 0;
}

function outputOf({ command, args, cwd, env }: Job): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
