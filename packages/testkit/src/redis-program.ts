import { spawnSync } from 'node:child_process';

/** There is no Redis, and none could be installed. The message names the ways to provide one. */
export class MissingRedisError extends Error {}

export const howToInstall =
  'put redis-server on the PATH (Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis)';

let isThere = false;

/** Ensures that `redis-server` is on the PATH. As root it is installed with apt. @throws MissingRedisError */
export function needRedisServer(): void {
  isThere ||= answers('redis-server', '--version') || installedWithApt();
  if (!isThere) throw new MissingRedisError(`No redis-server (6.2 or later) found: ${howToInstall}.`);
}

/** Whether a command ends without an error. */
export function answers(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function installedWithApt(): boolean {
  if (process.getuid?.() !== 0 || !answers('apt-get', '--version')) return false;
  console.error('No redis-server found: installing it with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...args: string[]) => spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env }).status === 0;
  return (
    run('update') &&
    run('install', '-y', '--no-install-recommends', 'redis-server') &&
    answers('redis-server', '--version')
  );
}
