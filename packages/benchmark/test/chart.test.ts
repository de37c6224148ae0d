import { describe, expect, test } from 'vitest';
import { chart } from '../src/report/chart.ts';
import { sampleResult } from './sample-result.ts';
import { descendants, type Element, parseXml } from './xml.ts';

const result = sampleResult();
const image = parseXml(chart(result));
const all = descendants(image);

function named(name: string, within: readonly Element[] = all): Element[] {
  return within.filter((element) => element.name === name);
}

function classed(name: string): Element[] {
  return all.filter(({ attributes }) => attributes.get('class') === name);
}

describe('the chart', () => {
  test('is one well-formed SVG image that says what it shows', () => {
    expect(image.name).toBe('svg');
    expect(image.attributes.get('xmlns')).toBe('http://www.w3.org/2000/svg');
    expect(named('title')).toHaveLength(1);
  });

  test('has a panel for each backend', () => {
    expect(classed('title').map(({ text }) => text)).toEqual(['ephemeral', 'redis']);
  });

  test('gives pools by priority a panel of their own, below the others of their backend', () => {
    const ranked = result.rows
      .filter(({ backend }) => backend === 'ephemeral')
      .map((row) => ({ ...row, id: `ranked-${row.id}` }));
    const { children } = parseXml(chart({ ...result, rows: [...ranked, ...result.rows] }));
    const titles = children.flatMap(descendants).filter(({ attributes }) => attributes.get('class') === 'title');
    expect(titles.map(({ text }) => text)).toEqual(['ephemeral', 'ephemeral, by priority', 'redis']);
  });

  test('has a labelled line for every workload whose cost is a time, with a point for each n', () => {
    const titles = classed('label').map(({ text }) => text.split(' · ')[0]);
    const each = ['receive by 100', 'limit: bare, by 100', 'status by <100>'];
    expect(titles).toEqual([...each, ...each]);
    expect(named('polyline').map(({ attributes }) => attributes.get('points')?.split(' ').length)).toEqual(
      Array(6).fill(2),
    );
    expect(named('circle')).toHaveLength(12);
  });

  test('draws what costs more higher, and more stored further to the right', () => {
    const [receive, , status] = named('polyline').map(({ attributes }) =>
      (attributes.get('points') ?? '').split(' ').map((point) => point.split(',').map(Number)),
    );
    expect(receive?.[1]?.[0]).toBeGreaterThan(receive?.[0]?.[0] ?? Number.NaN);
    expect(receive?.[1]?.[1]).toBeLessThan(receive?.[0]?.[1] ?? Number.NaN);
    expect(status?.[0]?.[1]).toBeLessThan(receive?.[0]?.[1] ?? Number.NaN);
  });

  test('keeps every place within the image', () => {
    const [width, height] = ['width', 'height'].map((name) => Number(image.attributes.get(name)));
    const shift = (element: Element): number =>
      Number(/translate\(0 (\d+)\)/.exec(element.attributes.get('transform') ?? '')?.[1] ?? 0);
    for (const group of image.children)
      for (const { attributes } of descendants(group)) {
        const [x, y] = [attributes.get('x') ?? attributes.get('cx'), attributes.get('y') ?? attributes.get('cy')];
        if (x === undefined || y === undefined) continue;
        expect(Number(x)).toBeLessThan(width ?? 0);
        expect(Number(y) + shift(group)).toBeLessThan(height ?? 0);
      }
  });

  test('brings text colours for light and dark', () => {
    const [style] = named('style');
    const [light, dark] = (style?.text ?? '').split('@media (prefers-color-scheme: dark)');
    const fill = (css = ''): string | undefined => /\btext \{[^}]*fill: (#\w+)/.exec(css)?.[1];
    expect(fill(light)).toBeDefined();
    expect(fill(dark)).toBeDefined();
    expect(fill(light)).not.toBe(fill(dark));
  });

  test('gives every kind of work a colour in both', () => {
    const [light = '', dark = ''] = (named('style')[0]?.text ?? '').split('@media (prefers-color-scheme: dark)');
    const kinds = new Set(named('g').flatMap(({ attributes }) => attributes.get('class') ?? []));
    expect(kinds).toEqual(new Set(['receive', 'limit', 'read']));
    for (const kind of kinds) for (const css of [light, dark]) expect(css).toContain(`.${kind} { --c: #`);
  });
});
