// Vitest's global set-up: bundles the programs that tests start in processes of their own.
//
// A run starts hundreds of child processes. From the sources each resolves, reads and links about two hundred modules, a quarter of a
// second of a core, before it does anything. From a bundle it does so for a handful. The bundles are made anew for each run.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, root, write } from './bundle.ts';

const folder = join(root, '.data/programs');

/**
 * The programs that are started most, and the subjects that the conformance suite's child loads by their address. A program that is not
 * listed runs from the sources. So does one that is started with `--import`, because it changes the modules that follow.
 */
const programs = [
  'conformance/src/child.ts',
  'conformance/test/planted/subject.ts',
  'conformance/test/fixtures/{subject,directory-leases}.ts',
  'examples/{custom,leveldb}-backend/test/subject.ts',
  'examples/{cardano-replay,relayer,evm-relayer,multi-node}/src/main.ts',
  'packages/chaos/src/{main,soak,node/main}.ts',
  'packages/ephemeral/test/subject.ts',
  'packages/server/test/edges/edge-program.ts',
  'packages/redis/test/{subject,priority/admitter,connection/tls-process}.ts',
  'packages/sqlite/test/{shared,exclusive}-subject.ts',
  'packages/sqlite/test/pool/{caller,migrator,disk-filler,taker,sender,racer,worker}.ts',
  'packages/sqlite/test/election/{confirmer,participant,holder}.ts',
];

function filesOf(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root });
  if (files.length === 0) throw new Error(`no program ${pattern}: correct the list in .ci/bundled-programs.ts`);
  return files;
}

export default async function setup(): Promise<void> {
  const sources = programs.flatMap(filesOf);
  await bundle(sources, folder);
  const bundleOf = (source: string): string => join(folder, source.replace(/\.ts$/, '.js'));
  const address = (path: string): string => pathToFileURL(path).href;
  const bundles = sources.map((source) => [address(join(root, source)), address(bundleOf(source))]);
  write({ path: join(folder, 'programs.json'), contents: JSON.stringify(Object.fromEntries(bundles), null, 2) });
}
