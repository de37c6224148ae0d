import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { draw } from '../src/drawing.ts';
import { playScene, type RankedItem } from '../src/scene.ts';
import { checkXml } from './xml.ts';

const inDocs = (file: string) =>
  readFile(new URL(`../../../packages/mempool-core/docs/${file}`, import.meta.url), 'utf8');
const stored = inDocs('order.svg');

/** The row of the page's table that tells how this place comes about. */
function caseOf({ pays, parents }: RankedItem, order: readonly RankedItem[]): string {
  const [parent, ...more] = parents.map((index) => order[index]);
  if (parent === undefined) return 'no Pending parent';
  if (more.length > 0) return 'several parents';
  if (pays === parent.effectivePriority) return 'pays the same';
  return pays < parent.effectivePriority ? "pays less than the parent's effective priority" : 'pays more';
}

test('the stored picture is what the pool gives', async () => {
  expect(draw(await playScene())).toBe(await stored);
});

test('in the picture no child stands before its parent, a block is a prefix and parked ones come last', async () => {
  const { order, reaped, evicted } = await playScene();
  expect(order.flatMap(({ parents }, child) => parents.filter((parent) => parent >= child))).toEqual([]);
  expect(order.flatMap(({ parents }) => parents)).toHaveLength(6);
  const ready = order.map((standing) => standing.ready);
  expect(ready).toEqual(ready.toSorted((a, b) => Number(b) - Number(a)));
  expect([reaped.count, evicted.count]).toEqual([4, 3]);
});

test('the table of the page says of each transaction in the picture how its place comes about', async () => {
  const rows = Array.from((await inDocs('order.md')).matchAll(/^\| (.+?) \|.*\| ((?:`[a-z]`(?:, )?)+) \|$/gm));
  const told = rows.flatMap(([, row = '', names = '']) => names.split(', ').map((name) => [name.slice(1, -1), row]));
  const { order } = await playScene();
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(order.map((each) => [each.name, caseOf(each, order)])));
  expect(new Set(rows.map(([, row]) => row)).size).toBe(5);
});

test('the picture is well-formed, says in words what it shows, and brings all that it needs', async () => {
  const picture = await stored;
  checkXml(picture);
  expect(picture).toMatch(/<svg [^>]*role="img" aria-labelledby="title desc"/);
  expect(picture).toMatch(/<title id="title">.+<\/title>\n {2}<desc id="desc">.+<\/desc>/);
  expect(picture.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
    /https?:|href|url\(|@import|@font-face/,
  );
});

test('every colour of the picture has one for dark pages', async () => {
  const [, light = '', dark = ''] =
    /<style>(.*?)@media \(prefers-color-scheme: dark\) \{(.*?)\n {4}\}/s.exec(await stored) ?? [];
  const coloured = (rules: string) => Array.from(rules.matchAll(/\.([a-z]+) \{[^}]*#[0-9a-f]{6}/g), ([, kind]) => kind);
  expect(coloured(light)).toHaveLength(13);
  expect(coloured(dark).toSorted()).toEqual(coloured(light).toSorted());
});

test('a picture that is not well-formed is noticed', () => {
  for (const broken of ['<a><b></a></b>', '<a', '<a x=1/>', '<a x="1" x="2"/>', '<a>&b</a>', '<a/><a/>', '<a>'])
    expect(() => checkXml(broken), broken).toThrow();
  checkXml('<a x="1"><b/>t &amp; t</a>');
});
