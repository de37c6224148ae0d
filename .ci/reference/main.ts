// Makes the API reference (docs/api, not committed) and the index of options (docs/options.md) from the doc comments.
// `--check` compares the index instead. A link that leads nowhere fails.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, LogLevel } from 'typedoc';
import { published, root } from '../pack.ts';
import { optionsPage } from './options.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly 'mempool-source'?: string }>>;
}

/** The source of each entry point, by the name under which it is imported. */
function entryPoints(): Map<string, string> {
  const entries = published.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(exports).flatMap(([entry, { 'mempool-source': source }]) =>
      source === undefined ? [] : [[`${name}${entry.slice(1)}`, join(root, folder, source)] as const],
    );
  });
  return new Map(entries);
}

function isAt(file: string, module: string): boolean {
  return [`/${module}.ts`, `/${module}/index.ts`].some((end) => file.endsWith(end));
}

async function main(mode: string | undefined): Promise<number> {
  const entries = entryPoints();
  const tsconfig = join(root, '.data', 'tsconfig.reference.json');
  mkdirSync(join(root, '.data'), { recursive: true });
  const compilerOptions = { noEmit: true, customConditions: ['mempool-source'] };
  writeFileSync(
    tsconfig,
    JSON.stringify({ extends: '../tsconfig.base.json', compilerOptions, files: [...entries.values()] }),
  );
  const app = await Application.bootstrap({
    name: 'mempool',
    entryPoints: [...entries.values()],
    tsconfig,
    readme: 'none',
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    skipErrorChecking: true,
    treatWarningsAsErrors: true,
    logLevel: LogLevel.Warn,
    validation: { invalidLink: true, notExported: false, notDocumented: false },
  });
  const project = await app.convert();
  if (project === undefined) return 1;
  // The generator names a module by its file, and sorts by that.
  const names = [...entries.keys()];
  for (const module of project.children ?? [])
    module.name = names.find((name) => isAt(entries.get(name) ?? '', module.name)) ?? module.name;
  project.children?.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  if (mode !== '--check') await app.generateDocs(project, join(root, 'docs', 'api'));
  if (app.logger.hasWarnings() || app.logger.hasErrors()) return 1;
  const file = join(root, 'docs', 'options.md');
  const page = optionsPage(project);
  if (mode !== '--check') writeFileSync(file, page);
  else if (readFileSync(file, 'utf8') !== page) {
    console.error('docs/options.md does not match the doc comments: npm run docs writes it.');
    return 1;
  }
  return 0;
}

process.exitCode = await main(process.argv[2]);
