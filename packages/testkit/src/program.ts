import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of the workspace that runs. */
export interface Running {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves when it has ended, whatever its exit code. */
  readonly ended: Promise<Ended>;
}

interface Surroundings {
  readonly cwd?: string;
  /** Added to this process's own. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts a program of the workspace unbuilt: its file and arguments, or options of Node before them. */
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

/** The same, and waits for its end. */
export function runProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return startProgram(args, surroundings).ended;
}
