/** The example as its users run it: a process of its own, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Report } from '../src/report.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const holdAt = new URL('./hold-at.ts', import.meta.url).href;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ReplayProcess {
  readonly child: ChildProcess;
  readonly ending: Promise<Ending>;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function startReplay(surroundings: Surroundings, args: readonly string[]): ReplayProcess {
  return start(surroundings, [main, ...args]);
}

/** A replay that has written `text` and stands still in the middle of it until its input ends, however late that is. */
export async function heldReplay(
  { cwd, env = process.env }: Surroundings,
  args: readonly string[],
  text: string,
): Promise<ReplayProcess> {
  const held = start({ cwd, env: { ...env, HOLD_AT: text } }, ['--import', holdAt, main, ...args]);
  if (await hasPrinted(held, text)) return held;
  throw new Error(`ended without '${text}': ${(await held.ending).stderr}`);
}

function start({ cwd, env = process.env }: Surroundings, args: readonly string[]): ReplayProcess {
  const child = spawn(process.execPath, ['--conditions=mempool-source', ...args], { cwd, env });
  // Of a test that failed meanwhile.
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ending: ended(child) };
}

export function runReplay(surroundings: Surroundings, args: readonly string[]): Promise<Ending> {
  return startReplay(surroundings, args).ending;
}

/** Runs to the end and reads the last line. */
export async function replayed(surroundings: Surroundings, args: readonly string[]): Promise<Report> {
  return reportOf(await runReplay(surroundings, [...args, '--json']));
}

/** @throws with what the process said, where it failed */
export function reportOf({ code, signal, stdout, stderr }: Ending): Report {
  if (code !== 0) throw new Error(`ended with ${code ?? signal}: ${stderr}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Report;
}

/** Resolves when the process has written `part`: true; or has ended without: false. */
export function hasPrinted({ child, ending }: ReplayProcess, part: string): Promise<boolean> {
  const printed = new Promise<boolean>((resolve) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(part)) resolve(true);
    });
  });
  return Promise.race([printed, ending.then(() => false)]);
}

async function ended(child: ChildProcess): Promise<Ending> {
  if (child.stdout === null || child.stderr === null) throw new Error('no pipes');
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, signal, stdout, stderr };
}
