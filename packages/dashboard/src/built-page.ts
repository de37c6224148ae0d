import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PageFile } from 'mempool-server/extension';

/** The files of a page by their names, such as `index.html` and `assets/index-4f0Yk2aB.js`. */
export type BuiltPage = ReadonlyMap<string, PageFile>;

/** All files are read at the start, so no name that a client sends reaches the file system. */
function readPage(): BuiltPage | null {
  try {
    const folder = ownFolder();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const page = new Map(files.map((entry) => namedFile(folder, join(entry.parentPath, entry.name))));
    return page.has('index.html') ? page : null;
  } catch {
    // Not built, or a host without files.
    return null;
  }
}

function namedFile(folder: string, path: string): [string, PageFile] {
  const name = path.slice(folder.length + 1).replaceAll('\\', '/');
  return [name, new PageFile(name, new Uint8Array(readFileSync(path)))];
}

/** The built page is `dist/page`: beside the built package, and from the sources in `dist` all the same. */
function ownFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return import.meta.url.endsWith('.ts') ? join(here, '../dist/page') : join(here, 'page');
}

let ownPage: BuiltPage | null = null;

/** The page of this package, read once; `null` if it is not built. */
export function builtPage(): BuiltPage | null {
  ownPage ??= readPage();
  return ownPage;
}
