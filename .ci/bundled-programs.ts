// Vitest's global set-up: bundles the programs that tests start in processes of their own.
//
// A run starts hundreds of child processes. From the sources each resolves, reads and links about two hundred modules, a quarter of a
// second of a core, before it does anything. From a bundle it does so for a handful. The bundles are made anew for each run.
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type OutputFile, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
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

/** A bundled module still reads the files beside its source. The search part of its address is the one that it was loaded with. */
const ownAddresses: Plugin = {
  name: 'addresses of the sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const own = `(${JSON.stringify(pathToFileURL(path).href)} + new URL(import.meta.url).search)`;
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', own);
      return { contents, loader: 'ts' };
    }),
};

/** These load a binary that lies beside them. */
const nativePackages: Plugin = {
  name: 'native packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(better-sqlite3|classic-level)$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
      external: true,
    })),
};

/** In one step: a child of another run may be reading the file. */
function write({ path, contents }: Pick<OutputFile, 'path'> & { readonly contents: Uint8Array | string }): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}-${process.pid}`, contents);
  renameSync(`${path}-${process.pid}`, path);
}

function filesOf(pattern: string): string[] {
  const files = globSync(pattern, { cwd: root });
  if (files.length === 0) throw new Error(`no program ${pattern}: correct the list in .ci/bundled-programs.ts`);
  return files;
}

export default async function setup(): Promise<void> {
  const sources = programs.flatMap(filesOf);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: sources,
    outdir: folder,
    outbase: root,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['mempool-source'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [ownAddresses, nativePackages],
  });
  for (const file of outputFiles) write(file);
  const bundleOf = (source: string): string => join(folder, source.replace(/\.ts$/, '.js'));
  const address = (path: string): string => pathToFileURL(path).href;
  const bundles = sources.map((source) => [address(join(root, source)), address(bundleOf(source))]);
  write({ path: join(folder, 'programs.json'), contents: JSON.stringify(Object.fromEntries(bundles), null, 2) });
}
