// Installs the workspace and builds the dashboard's page when they are missing or out of date, and is otherwise done in a few
// milliseconds. Needs nothing but Node 20 and npm. Prints to stderr only: stdout belongs to what runs after it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

const dashboard = join(root, 'packages', 'dashboard');
const page = join(dashboard, 'dist', 'page');
const pageStamp = join(modules, '.page-built');

// Of other packages the page imports types alone, which leave no trace in it.
function wantedPage() {
  const sources = join(dashboard, 'page');
  const digest = createHash('sha256').update(hash);
  for (const name of readdirSync(sources, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(sources, name);
    if (statSync(file).isFile()) digest.update(`${name}\n`).update(readFileSync(file));
  }
  return digest.digest('hex');
}

// Several set-ups may do this at once, so each step is a rename. Whoever finds the page in place has the same one.
function putInPlace(built) {
  const before = `${built}-before`;
  for (const [from, to] of [
    [page, before],
    [built, page],
  ]) {
    try {
      renameSync(from, to);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    }
  }
  for (const left of [before, built]) rmSync(left, { recursive: true, force: true });
}

// Other programs do without the page, so a failure is told and no more.
function buildPage() {
  const vite = join(dashboard, 'node_modules', 'vite', 'bin', 'vite.js');
  // Put in place in one step: a server may be reading the files, and a killed build leaves the earlier page.
  const built = `${page}-${process.pid}`;
  const { status } = spawnSync(
    join(modules, '.bin', 'node'),
    [vite, 'build', join(dashboard, 'page'), '--outDir', built],
    { cwd: dashboard, stdio: ['ignore', 2, 2] },
  );
  if (status === 0) {
    putInPlace(built);
    return true;
  }
  rmSync(built, { recursive: true, force: true });
  console.error('The page of the dashboard could not be built: see above.');
  return false;
}

const pageHash = wantedPage();
const isPageBuilt =
  existsSync(join(page, 'index.html')) && existsSync(pageStamp) && readFileSync(pageStamp, 'utf8') === pageHash;
if (!isPageBuilt && buildPage()) writeFileSync(pageStamp, pageHash);
