import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type OutputFile, type Plugin } from 'esbuild';

export const root: string = fileURLToPath(new URL('..', import.meta.url));

/** A bundled module still reads the files beside its source. The search part of its address is the one that it was loaded with. */
const ownAddresses: Plugin = {
  name: 'addresses of the sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const own = `(${JSON.stringify(pathToFileURL(path).href)} + new URL(import.meta.url).search)`;
      const contents = readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', own)
        .replaceAll('import.meta.resolve(', () => `$resolve(${own}, `)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    }),
};

/** These load a binary from their own folder, or depend on one that does. */
const nativePackages: Plugin = {
  name: 'native packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(better-sqlite3|classic-level|secp256k1|testcontainers)$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
      external: true,
    })),
};

/** What modules find in a bundle in place of their own. No module has such names. */
const banner = `import { createRequire as $createRequire } from 'node:module';
import { pathToFileURL as $pathToFileURL } from 'node:url';
const require = $createRequire(import.meta.url);
const $resolve = (own, name) => $pathToFileURL($createRequire(own).resolve(name)).href;`;

/** In one step: a child of another run may be reading the file. */
export function write({ path, contents }: Pick<OutputFile, 'path'> & { readonly contents: Uint8Array | string }): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}-${process.pid}`, contents);
  renameSync(`${path}-${process.pid}`, path);
}

/** Bundles programs of this repository, which share what they have in common. `sources`: their files, from the root. */
export async function bundle(sources: readonly string[], folder: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [...sources],
    outdir: folder,
    outbase: root,
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['mempool-source'],
    banner: { js: banner },
    plugins: [ownAddresses, nativePackages],
  });
  for (const file of outputFiles) write(file);
}
