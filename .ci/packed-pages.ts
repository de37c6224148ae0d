import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './pack.ts';

/** The repository's web page, as `package.json` of the workspace names it. */
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { homepage: string };
export const site: string = homepage.replace('#readme', '');
const pageOfSite = new RegExp(`^${RegExp.escape(site)}/(?:blob|tree)/main/(.*)$`);
/** A path of a package, named in the text. */
const namedPath = /^(?:src|test|lua|sql|docs|dist)\/[\w./-]+$/;

/** Links and paths in the pages of an unpacked archive whose target is missing in the archive or the repository. */
export function deadEnds(archive: string): string[] {
  return globSync('**/*.md', { cwd: archive }).flatMap((page) => {
    const dead = [...linksOf(join(archive, page)).filter((link) => isDead(link, join(archive, page), archive))];
    const missing = pathsOf(join(archive, page)).filter((path) => !existsSync(join(archive, path)));
    return [...dead, ...missing].map((target) => `${page}: ${target} leads nowhere`);
  });
}

/** TypeScript code in the pages that is in no test file, so that nothing checks that it still works. */
export function untestedCode(archive: string): string[] {
  const files = globSync(['packages/*/test/**/*.ts', 'conformance/test/**/*.ts'], { cwd: root });
  const tested = new Set(files.map((file) => readFileSync(join(root, file), 'utf8')));
  return globSync('**/*.md', { cwd: archive }).flatMap((page) => {
    const shown = Array.from(readFileSync(join(archive, page), 'utf8').matchAll(/^```ts[^\n]*\n(.*?)^```/gms));
    const untested = shown.filter(([, code = '']) => !tested.has(code));
    return untested.map(([, code = '']) => `${page}: in no file of a test: ${code.split('\n')[0]} …`);
  });
}

function isDead(link: string, page: string, archive: string): boolean {
  const [target = '', anchor] = link.split('#');
  const [, inRepository] = pageOfSite.exec(target) ?? [];
  if (inRepository === undefined && /^https?:/.test(target)) return false;
  const file = inRepository === undefined ? join(dirname(page), target) : join(root, inRepository);
  if (target === '') return !anchorsOf(page).includes(anchor ?? '');
  const isOutside = inRepository === undefined && relative(archive, file).startsWith('..');
  return isOutside || !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
}

function textOf(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/^```.*?^```/gms, '');
}

function linksOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
}

function pathsOf(page: string): string[] {
  const named = Array.from(textOf(page).matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  return named.filter((code) => namedPath.test(code));
}

/** As GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = Array.from(textOf(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}
