// Checks the archives as they would be uploaded: entry points, files, types, manifests and pages.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, passes, published, root, run } from './pack.ts';
import { deadEnds, site, untestedCode } from './packed-pages.ts';

interface Manifest {
  readonly name: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly engines?: { readonly node?: string };
}

/** The oldest Node that users of the packages need; `checkNode` refuses older ones. */
const engines = '>=22';

function unpack(archive: string): string {
  const folder = archive.replace(/\.tgz$/, '');
  mkdirSync(folder);
  run('tar', ['-xzf', archive, '-C', folder]);
  return join(folder, 'package');
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function faultsOf({ name, homepage, bugs, repository, engines: { node } = {} }: Manifest): string[] {
  const said = { homepage, bugs, directory: repository?.directory, url: repository?.url, node };
  const directory = published.find((folder) => manifestIn(join(root, folder)).name === name);
  const expected = {
    homepage: `${site}/tree/main/${directory}#readme`,
    directory,
    bugs: `${site}/issues`,
    url: `git+${site}.git`,
    node: engines,
  };
  const fields = Object.keys(expected) as (keyof typeof expected)[];
  return fields
    .filter((field) => said[field] !== expected[field])
    .map((field) => `${name}: ${field} is ${said[field]}, not ${expected[field]}`);
}

function isSound(archive: string): boolean {
  const folder = unpack(archive);
  const manifest = manifestIn(folder);
  const pages = [...deadEnds(folder), ...untestedCode(folder)].map((fault) => `${manifest.name}: ${fault}`);
  const faults = [...faultsOf(manifest), ...pages];
  for (const fault of faults) console.error(fault);
  const linted = passes('publint', ['run', archive, '--strict']);
  return passes('attw', [archive, '--profile', 'esm-only', '--no-emoji']) && linted && faults.length === 0;
}

const folder = mkdtempSync(join(tmpdir(), 'mempool-pack-'));
try {
  const unsound = pack(folder).filter((archive) => !isSound(archive));
  process.exitCode = unsound.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
