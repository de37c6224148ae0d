import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = dirname(import.meta.dirname);

/** Folders of the packages that are published, each after those it depends on. */
export const published = [
  'packages/mempool-core',
  'packages/election',
  'packages/ephemeral',
  'packages/sqlite',
  'packages/redis',
  'packages/node',
  'packages/cardano',
  'packages/server',
  'packages/ledger',
  'packages/edge-blockfrost',
  'packages/edge-cometbft',
  'packages/edge-ethereum',
  'packages/edge-utxorpc',
  'packages/sequencer',
  'packages/dashboard',
  'packages/cli',
  'conformance',
] as const;

/** Runs a command to its end with its output shown; whether it ended well. */
export function passes(command: string, args: readonly string[], cwd: string = root): boolean {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) throw error;
  return status === 0;
}

/** Like `passes`, but throws when it does not. */
export function run(command: string, args: readonly string[], cwd?: string): void {
  if (!passes(command, args, cwd)) throw new Error(`failed: ${command} ${args.join(' ')}`);
}

/** Packs every published package as it would be uploaded and returns the archives. The build comes before. */
export function pack(into: string): string[] {
  mkdirSync(into, { recursive: true });
  const filters = published.flatMap((folder) => ['--filter', `./${folder}`]);
  run('npx', ['--yes', 'pnpm@12', '--silent', ...filters, '--recursive', 'pack', '--pack-destination', into]);
  const archives = readdirSync(into).filter((name) => name.endsWith('.tgz'));
  if (archives.length !== published.length) throw new Error(`packed ${archives.length} of ${published.length}`);
  return archives.map((name) => join(into, name));
}
