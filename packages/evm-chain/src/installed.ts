import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where packages are that only some commands need: no part of the workspace. */
const root = fileURLToPath(new URL('../../../.data/', import.meta.url));

/**
 * The folder in which a package is installed, as `name@version`. It is installed the first time, without its scripts. Processes that do so
 * at the same time do not disturb each other.
 * @throws Error if npm cannot install it
 */
export function installed(name: string, version: string): string {
  const folder = join(root, name);
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return folder;
  mkdirSync(root, { recursive: true });
  const draft = mkdtempSync(join(root, `${name}-`));
  writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', args, { cwd: draft, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm could not install ${name}: ${stderr}`);
  put(draft, folder);
  return folder;
}

/** If another process was quicker, its folder stays. */
function put(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
}
