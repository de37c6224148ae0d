import { cost } from './format.ts';
import { backendsOf } from './report.ts';
import type { Result } from './result.ts';
import type { Row } from './row.ts';
import { apart, type LogScale, logScale } from './scale.ts';

const width = 900;
const plot = { left: 70, right: 520, height: 340, top: 40 } as const;
const panelHeight = plot.top + plot.height + 50;
const labelGap = 17;

/** Kinds of work, each with its colour; what a line is says the label at its end. */
const families: readonly { readonly name: string; readonly ids: RegExp }[] = [
  { name: 'receive', ids: /^receive/ },
  { name: 'lifecycle', ids: /^(mark|acknowledge|release|drop|confirm|rollback)/ },
  { name: 'read', ids: /^(status|log|peek|find|usage)/ },
  { name: 'events', ids: /^events/ },
  { name: 'restart', ids: /^restart/ },
];

// An image is drawn in the reader's own mode, so it brings colours for both.
const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #57606a; font-size: 12px }
  .grid { stroke: #d0d7de }
  .line { fill: none; stroke-width: 2 }
  .receive { --c: #0969da } .lifecycle { --c: #bc4c00 } .read { --c: #1a7f37 } .events { --c: #8250df } .restart { --c: #bf3989 }
  .line, .lead { stroke: var(--c) } .dot, .label { fill: var(--c) }
  .lead { opacity: 0.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d }
    .receive { --c: #58a6ff } .lifecycle { --c: #f0883e } .read { --c: #3fb950 } .events { --c: #bc8cff } .restart { --c: #f778ba }
  }`;

/** Cost against n, a panel for each backend, as an SVG image that needs nothing else. */
export function chart(result: Result): string {
  const backends = backendsOf(result);
  const height = panelHeight * backends.length + 30;
  const panels = backends.map((backend, index) => panel(result, backend, index * panelHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Cost of each workload against the number of transactions stored</title>`,
    `<style>${style}</style>`,
    ...panels,
    text(plot.left, height - 12, 'quiet', `Median of a run of ${result.date.slice(0, 10)}; both axes are logarithmic.`),
    '</svg>\n',
  ].join('\n');
}

function panel({ rows: all }: Result, backend: string, y: number): string {
  const rows = all.filter((row) => row.backend === backend && row.unit === 'µs');
  if (rows.length === 0) return '';
  const across = logScale(
    rows.map(({ n }) => n),
    plot.left,
    plot.right,
  );
  const up = logScale(
    rows.map((row) => row.cost.median),
    plot.top + plot.height,
    plot.top,
  );
  const series = [...Map.groupBy(rows, ({ id }) => id).values()];
  const ends = series.map((points) => up.at((points.at(-1) as Row).cost.median));
  const places = apart(ends, labelGap, plot.top + plot.height + 4);
  return [
    `<g transform="translate(0 ${y})">`,
    text(plot.left, 22, 'title', backend),
    axes(across, up),
    ...series.map((points, index) => line(points, across, up, places[index] as number)),
    '</g>',
  ].join('\n');
}

function axes(across: LogScale, up: LogScale): string {
  const bottom = plot.top + plot.height;
  const levels = up.ticks.flatMap((tick) => [
    `<path class="grid" d="M${plot.left} ${round(up.at(tick))}H${plot.right}"/>`,
    text(plot.left - 8, up.at(tick) + 4, 'quiet', level(tick), 'end'),
  ]);
  const sizes = across.ticks.map((tick) =>
    text(across.at(tick), bottom + 20, 'quiet', tick.toLocaleString('en'), 'middle'),
  );
  return [...levels, ...sizes, text(plot.right, bottom + 38, 'quiet', 'transactions stored', 'end')].join('\n');
}

function level(microseconds: number): string {
  if (microseconds >= 1_000_000) return `${microseconds / 1_000_000} s`;
  return microseconds >= 1_000 ? `${microseconds / 1_000} ms` : `${microseconds} µs`;
}

function line(points: readonly Row[], across: LogScale, up: LogScale, labelY: number): string {
  const last = points.at(-1) as Row;
  const places = points.map((row) => [round(across.at(row.n)), round(up.at(row.cost.median))] as const);
  const [endX, endY] = places.at(-1) as readonly [number, number];
  return [
    `<g class="${familyOf(last.id)}">`,
    `<polyline class="line" points="${places.map((place) => place.join(',')).join(' ')}"/>`,
    ...places.map(([x, y]) => `<circle class="dot" cx="${x}" cy="${y}" r="3"/>`),
    `<path class="lead" d="M${endX + 5} ${endY}L${plot.right + 18} ${round(labelY)}"/>`,
    text(plot.right + 22, labelY + 4, 'label', `${short(last.title)} · ${cost(last.cost.median, 'µs')}`),
    '</g>',
  ].join('\n');
}

function familyOf(id: string): string {
  return families.find(({ ids }) => ids.test(id))?.name ?? 'read';
}

/** What the unit says already is left out. */
function short(title: string): string {
  return title
    .replace(/^receive by 100 until (.*) had the events?$/, 'events, $1')
    .replace(/^receive alone until /, 'event, ')
    .replace(' had the event', '');
}

function text(x: number, y: number, name: string, content: string, anchor = 'start'): string {
  const place = `x="${round(x)}" y="${round(y)}"`;
  return `<text class="${name}" ${place} text-anchor="${anchor}">${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
