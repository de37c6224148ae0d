// Installs the workspace when it is missing or out of date, and is otherwise done in a few milliseconds.
// Needs nothing but Node 20 and npm. Prints to stderr only: stdout belongs to what runs after it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.workspace-installed');

// The lockfile repeats every manifest's dependencies, so the manifests need no look of their own.
function wanted() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function isInstalled(hash) {
  return existsSync(join(modules, '.bin', 'node')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

function install() {
  console.error('Installing the workspace …');
  const { status, signal, error } = spawnSync('npx', ['--yes', 'pnpm@12', 'install', '--frozen-lockfile'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // Without a terminal pnpm would otherwise ask before it replaces a node_modules of another making.
    env: { ...process.env, CI: 'true' },
  });
  if (error) console.error(`npx did not start: ${error.message}`);
  if (status !== 0) {
    console.error('The installation failed: see above. It needs npm and access to its registry.');
    process.exit(signal ? 1 : (status ?? 1));
  }
}

const hash = wanted();
if (!isInstalled(hash)) {
  install();
  writeFileSync(stamp, hash);
}
