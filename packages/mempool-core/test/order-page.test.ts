import { readFileSync } from 'node:fs';
import { allCases, rules, untested } from 'mempool-conformance';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const page = 'packages/mempool-core/docs/order.md';
const { homepage }: { homepage: string } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
/** What is published names files of other packages by where the repository is shown: here they are beside. */
const site = homepage.replace('#readme', '/blob/main/');
const read = (path: string): string =>
  readFileSync(new URL(path, root), 'utf8').replaceAll(site, '../'.repeat(path.split('/').length - 1));

/** Cells of the table of promises, without its head. */
function promises(): string[][] {
  const [, table = ''] = /<!-- adr-067 -->\n(.*?)\n<!-- \/adr-067 -->/s.exec(read(page)) ?? [];
  const rows = table.split('\n').slice(2);
  return rows.map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

function casesIn(text: string): (string | undefined)[] {
  return Array.from(text.matchAll(/`((?:P\d+|history)\/[a-z0-9-]+)`/gi), ([, id]) => id);
}

describe('the page about the order', () => {
  it('names only cases that the suite has', () => {
    const known: (string | undefined)[] = allCases.map(({ id }) => id);
    const named = casesIn(read(page));
    expect(named.filter((id) => !known.includes(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(25);
  });

  it('has for each promise a place and a case', () => {
    const rows = promises();
    expect(rows.length).toBe(20);
    for (const [promise, where, cases = ''] of rows) {
      expect(where, promise).toMatch(/\S/);
      expect(casesIn(cases), promise).not.toHaveLength(0);
    }
  });

  it('has every name that it gives in a source that it links', () => {
    const linked = promises().flatMap(([, where = '']) =>
      Array.from(where.matchAll(/\[`(?:\w+\.)?(\w+)`[^\]]*\]\(([^)]+)\)/g)),
    );
    expect(linked.length).toBeGreaterThan(15);
    for (const [, name = '', link = ''] of linked) {
      const words = readFileSync(new URL(link, new URL(page, root)), 'utf8').split(/\W+/);
      expect(words.includes(name), `${name} in ${link}`).toBe(true);
    }
  });

  it('has a case of the suite for each rule that it explains', () => {
    const ids = Object.keys(rules).filter((id) => /^P\d+$/.test(id) && !(id in untested));
    const proved = new Set(allCases.map(({ rule }) => rule));
    expect(ids.filter((id) => !proved.has(id))).toEqual([]);
    expect(ids).toHaveLength(28);
  });
});
