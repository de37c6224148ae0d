import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type PeerInstall =
  | { readonly kind: 'installed'; readonly folder: string }
  | { readonly kind: 'missing'; readonly reason: string };

export interface InstallOptions {
  /** Where `package.json` and its lockfile lie. */
  readonly from?: string;
  /** Command-line options of npm, as in `['--offline']`. */
  readonly flags?: readonly string[];
}

const files = ['package.json', 'package-lock.json'] as const;
const command = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Installs the peers into `folder`, where the lockfile is not installed there already. Nothing of theirs is run. */
export async function installPeers(folder: string, options: InstallOptions = {}): Promise<PeerInstall> {
  const { from = join(import.meta.dirname, '../../peers'), flags = [] } = options;
  const lock = readFileSync(join(from, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return { kind: 'installed', folder };
  mkdirSync(folder, { recursive: true });
  rmSync(mark, { force: true });
  for (const file of files) copyFileSync(join(from, file), join(folder, file));
  try {
    await promisify(execFile)('npm', [...command, ...flags], { cwd: folder });
  } catch (error) {
    return { kind: 'missing', reason: `npm ci failed: ${firstComplaint(error)}` };
  }
  writeFileSync(mark, lock);
  return { kind: 'installed', folder };
}

/** npm says in many lines what its first error lines say already. */
function firstComplaint(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string };
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error'));
  const words = lines.map((line) => line.replace(/^npm error\s*/, '').trim()).filter((line) => line !== '');
  return words.slice(0, 2).join(', ') || (message.split('\n')[0] as string);
}
