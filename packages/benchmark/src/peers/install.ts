import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where `package.json` and its lockfile lie. */
const ownLock = join(import.meta.dirname, '../../peers');
const command = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * Installs the peers into `folder`, unless the same lockfile is installed there already. Nothing of theirs is run.
 * @param flags command-line options of npm, as in `['--offline']`
 * @returns why they could not be installed; `null` where they are
 */
export async function installPeers(
  folder: string,
  from: string = ownLock,
  flags: readonly string[] = [],
): Promise<string | null> {
  const lock = readFileSync(join(from, 'package-lock.json'), 'utf8');
  const mark = join(folder, 'installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return null;
  mkdirSync(folder, { recursive: true });
  rmSync(mark, { force: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file));
  try {
    await promisify(execFile)('npm', [...command, ...flags], { cwd: folder });
  } catch (error) {
    return `npm ci failed: ${firstComplaint(error as Error & { stderr?: string })}`;
  }
  writeFileSync(mark, lock);
  return null;
}

/** The first error lines of npm say as much as all of them. */
function firstComplaint({ stderr = '', message }: Error & { stderr?: string }): string {
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error'));
  const words = lines.map((line) => line.replace(/^npm error\s*/, '').trim()).filter((line) => line !== '');
  return words.slice(0, 2).join(', ') || (message.split('\n')[0] as string);
}
