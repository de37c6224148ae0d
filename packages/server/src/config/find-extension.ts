import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isTable, misconfigured, shortName } from 'mempool-core/backend';
import { extensionVersion, type SectionExtension } from './extension.ts';
import { extensionSections } from './sections.ts';

/** Where an extension is looked for. */
export interface ExtensionPlace {
  /** The section that needs it, such as `edges.ethereum`. */
  readonly section: string;
  /** A package, whose entry `/server` is loaded, or the path of a module. */
  readonly module: string;
  /** The folder of the configuration. The working directory, the server's own folder and that of the program follow. */
  readonly folder: string;
}

/** The prefix of the packages of edges: `[edges.ethereum]` needs `mempool-edge-ethereum`. */
export const edgePrefix = 'mempool-edge-';

/** The package with the extension of a section: `[sequencer]` needs `mempool-sequencer`. */
export function packageOf(section: string): string {
  return `mempool-${section}`;
}

/**
 * Loads the extension that is the default export of a module.
 * @throws `ERR_MEMPOOL_CONFIG` naming the section: the module is not installed, does not load, or exports no extension of this
 * section and of this version
 */
export async function loadExtension(place: ExtensionPlace): Promise<SectionExtension> {
  const extension = await installedExtension(place);
  if (extension !== null) return extension;
  throw notInstalled(place);
}

function notInstalled({ section, module }: ExtensionPlace): Error {
  return misconfigured(
    section,
    `needs the package ${shortName(module)}, which is not installed: npm install ${module}`,
  );
}

/** Returns what a package exports. @throws `ERR_MEMPOOL_CONFIG` naming the section: it is not installed, or does not load */
export async function installedModule(place: ExtensionPlace): Promise<Readonly<Record<string, unknown>>> {
  const path = pathOf(place.module, place.folder, '');
  if (path === null) throw notInstalled(place);
  return imported(path, place.section, place.module);
}

/** The same as `loadExtension`, but returns `null` if the module is not installed. */
export async function installedExtension({
  section,
  module,
  folder,
}: ExtensionPlace): Promise<SectionExtension | null> {
  const path = pathOf(module, folder, '/server');
  return path === null ? null : checked((await imported(path, section, module)).default, section, module);
}

/** Returns the extensions with a section that are installed where `folder`, the working directory, the server or the program finds them. */
export async function installedExtensions(folder: string = process.cwd()): Promise<SectionExtension[]> {
  const folders = searched(folder).flatMap((from) => createRequire(join(from, 'here')).resolve.paths('any') ?? []);
  const names = new Set(folders.flatMap(packagesIn).filter((name) => name.startsWith(edgePrefix)));
  const places = Array.from(names, (module) => ({
    section: `edges.${module.slice(edgePrefix.length)}`,
    module,
    folder,
  }));
  const known = extensionSections.map((section) => installedExtension({ section, module: packageOf(section), folder }));
  const found = await Promise.all([...places.map(loadExtension), ...known]);
  return found.filter((extension) => extension !== null);
}

function packagesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The program comes last: a package manager may keep its packages, such as the dashboard of the command line, from the server. */
function searched(folder: string): string[] {
  return [resolve(folder), process.cwd(), fileURLToPath(new URL('.', import.meta.url)), ...programFolder()];
}

/** Empty without a program, such as in a REPL. A link to a program counts as its target. */
function programFolder(): string[] {
  const [, program] = process.argv;
  return program !== undefined && existsSync(program) ? [dirname(realpathSync(program))] : [];
}

/** `null`: it is not installed. */
function pathOf(module: string, folder: string, entry: string): string | null {
  if (isAbsolute(module) || /^\.\.?\//.test(module)) return resolve(folder, module);
  for (const from of searched(folder)) {
    try {
      return createRequire(join(from, 'here')).resolve(module + entry);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

async function imported(path: string, section: string, module: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    const error = misconfigured(section, `needs ${shortName(module)}, a module that does not load: ${reason}`);
    error.cause = cause;
    throw error;
  }
}

function checked(given: unknown, section: string, module: string): SectionExtension {
  const name = shortName(module);
  if (!isExtension(given))
    throw misconfigured(section, `needs ${name}, whose default export is no extension of a server`);
  if (given.version !== extensionVersion)
    throw misconfigured(
      section,
      `needs ${name}, which was written for version ${given.version} of the server's extensions; this server has version ${extensionVersion}`,
    );
  if (given.section !== section)
    throw misconfigured(section, `needs ${name}, which is the extension of the section ${shortName(given.section)}`);
  return given;
}

function isExtension(value: unknown): value is SectionExtension {
  return (
    isTable(value) &&
    typeof value.version === 'number' &&
    typeof value.section === 'string' &&
    isTable(value.schema) &&
    typeof value.open === 'function'
  );
}
