/** The example as its users run it: a process of its own, in a folder of its own. */
import { fileURLToPath } from 'node:url';
import { type Ended, type Running, startProgram } from 'mempool-testkit';
import { onTestFinished } from 'vitest';
import type { Report } from '../src/report.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const holdAt = new URL('./hold-at.ts', import.meta.url).href;

export interface Surroundings {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function startReplay(surroundings: Surroundings, args: readonly string[]): Running {
  return start(surroundings, [main, ...args]);
}

/** A replay that has written `text` and stands still in the middle of it until its input ends, however late that is. */
export async function heldReplay(
  { cwd, env = process.env }: Surroundings,
  args: readonly string[],
  text: string,
): Promise<Running> {
  const held = start({ cwd, env: { ...env, HOLD_AT: text } }, ['--import', holdAt, main, ...args]);
  if (await hasPrinted(held, text)) return held;
  throw new Error(`ended without '${text}': ${(await held.ended).stderr}`);
}

function start({ cwd, env = process.env }: Surroundings, args: readonly string[]): Running {
  const running = startProgram(args, { cwd, env });
  // A test that fails leaves it running.
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

export function runReplay(surroundings: Surroundings, args: readonly string[]): Promise<Ended> {
  return startReplay(surroundings, args).ended;
}

/** Runs to the end and reads the last line. */
export async function replayed(surroundings: Surroundings, args: readonly string[]): Promise<Report> {
  return reportOf(await runReplay(surroundings, [...args, '--json']));
}

/** @throws with what the process said, where it failed */
export function reportOf({ code, signal, stdout, stderr }: Ended): Report {
  if (code !== 0) throw new Error(`ended with ${code ?? signal}: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Report;
}

/** Resolves when the process has written `part`: true; or has ended without: false. */
export function hasPrinted({ child, ended }: Running, part: string): Promise<boolean> {
  const printed = new Promise<boolean>((resolve) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(part)) resolve(true);
    });
  });
  return Promise.race([printed, ended.then(() => false)]);
}
