import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running program of the workspace. */
export interface Running {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves when it has ended, with any exit code. */
  readonly ended: Promise<Ended>;
}

interface Surroundings {
  readonly cwd?: string;
  /** Environment variables, in addition to those of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a program of the workspace from its sources. `args` are its file and arguments, with options of Node before them. */
export function startProgram(args: readonly string[], { cwd, env }: Surroundings = {}): Running {
  const child = spawn(process.execPath, ['--conditions=mempool-source', ...args], {
    cwd,
    env: { ...process.env, ...env },
  });
  const closed = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  return { child, ended: output.then(async ([stdout, stderr]) => ({ ...(await closed), stdout, stderr })) };
}

/** Does the same as `startProgram`, and waits for the end of the program. */
export function runProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return startProgram(args, surroundings).ended;
}
