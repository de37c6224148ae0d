import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const { homepage }: { homepage: string } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
/** Published pages link files of other packages by the repository's address. Here the files are beside them. */
const site = homepage.replace('#readme', '/blob/main/');
const pages = globSync(
  ['*.md', 'docs/*.md', '{packages,examples}/*/*.md', 'packages/*/docs/*.md', 'conformance/*.md'],
  {
    cwd: root,
  },
);

const read = (path: string): string =>
  readFileSync(new URL(path, root), 'utf8').replaceAll(site, '../'.repeat(path.split('/').length - 1));

/** The targets of a page's links, without those to other sites. */
function linksOf(path: string): string[] {
  const links = Array.from(read(path).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links.filter((link) => !link.startsWith('https://'));
}

/** As GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const headings = Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it('there are pages', () => {
  expect(pages.length).toBeGreaterThan(20);
});

it.each(pages)('every link of %s leads to a file of the repository, and to a heading of it', (path) => {
  for (const link of linksOf(path)) {
    const [file = '', anchor] = link.split('#');
    const target = new URL(file === '' ? path : new URL(file, new URL(path, root)), root);
    expect(existsSync(target), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(readFileSync(target, 'utf8')), link).toContain(anchor);
  }
});

/** ARCHITECTURE.md names files from the root of the repository, those of core also from its `src`. */
const core = 'packages/mempool-core/src/';
const coreRooms = readdirSync(new URL(core, root), { withFileTypes: true });
const isInCore = (path: string): boolean => coreRooms.some((room) => path.startsWith(`${room.name}/`));

it('every path that ARCHITECTURE.md names is there', () => {
  const named = Array.from(read('ARCHITECTURE.md').matchAll(/`([^`\s]+)`/g), ([, path = '']) => path);
  const ours = named.filter((path) => /^(\.ci|\.github|conformance|examples|packages)(\/|$)/.test(path));
  const paths = [...ours, ...named.filter(isInCore).map((path) => core + path)];
  const missing = paths.filter((path) => globSync(path, { cwd: root }).length === 0);
  expect(missing).toEqual([]);
  expect(paths.length).toBeGreaterThan(100);
});

it('every name that ARCHITECTURE.md gives in brackets after a file is in that file', () => {
  const named = Array.from(read('ARCHITECTURE.md').matchAll(/`([^`\s]+\.(?:ts|lua))`\s+\(((?:`\w+`(?:,\s+)?)+)\)/g));
  for (const [, path = '', names = ''] of named) {
    const words = readFileSync(new URL(isInCore(path) ? `${core}${path}` : path, root), 'utf8').split(/\W+/);
    for (const [, name] of names.matchAll(/`(\w+)`/g)) expect(words, `${name} in ${path}`).toContain(name);
  }
  expect(named.length).toBeGreaterThan(3);
});
