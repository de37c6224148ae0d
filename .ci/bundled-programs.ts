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
 * The programs that tests start, and the subjects that others load by their address. A program that is not listed runs from the
 * sources. So does one that is started with `--import`, because it changes the modules that follow. The command
 * `mempool` is not listed: a test measures its start.
 */
const programs = [
  'conformance/src/{child,cli,failover-cli}.ts',
  'conformance/test/planted/subject.ts',
  'conformance/test/fixtures/*.ts',
  'examples/custom-backend/test/{subject,open-it}.ts',
  'examples/leveldb-backend/test/subject.ts',
  'examples/{block-builder,cardano-replay,custom-backend,relayer,evm-relayer,multi-node,single-node}/src/main.ts',
  'packages/benchmark/src/{main,runner/part,goals/node,goals/heap}.ts',
  'packages/chaos/src/{main,soak,node/main}.ts',
  'packages/ephemeral/test/subject.ts',
  'packages/sequencer/test/victim.ts',
  'packages/edge-ethereum/test/upstream-program.ts',
  'packages/server/test/http/sections-program.ts',
  'packages/redis/test/{subject,priority/admitter,connection/tls-process}.ts',
  'packages/redis/test/{pool/worker,pool/taker,pool/sender,election/node}.ts',
  'packages/sqlite/test/shared-subject.ts',
  'packages/sqlite/test/file/{keeper,opener,remover}.ts',
  'packages/sqlite/test/pool/{caller,disk-filler,listener,taker,sender,worker}.ts',
  'packages/sqlite/test/priority/follower.ts',
  'packages/ledger/test/{config/payer,redis/subject,sqlite/subject}.ts',
  'packages/ledger/test/sqlite/{disk-filler,opener}.ts',
  'packages/sqlite/test/election/{confirmer,participant,holder}.ts',
];

function filesOf(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root });
  if (files.length === 0) throw new Error(`no program ${pattern}: correct the list in .ci/bundled-programs.ts`);
  return files;
}

/** Each of vitest's projects sets up with a copy of this module of its own, in one process. */
const shared = globalThis as typeof globalThis & { bundledPrograms?: Promise<void> };

export default function setup(): Promise<void> {
  shared.bundledPrograms ??= bundlePrograms();
  return shared.bundledPrograms;
}

async function bundlePrograms(): Promise<void> {
  const sources = programs.flatMap(filesOf);
  await bundle(sources, folder);
  const bundleOf = (source: string): string => join(folder, source.replace(/\.ts$/, '.js'));
  const address = (path: string): string => pathToFileURL(path).href;
  const bundles = sources.map((source) => [address(join(root, source)), address(bundleOf(source))]);
  write({ path: join(folder, 'programs.json'), contents: JSON.stringify(Object.fromEntries(bundles), null, 2) });
}
