import { cost } from './format.ts';
import { backendsOf } from './report.ts';
import type { Result } from './result.ts';
import { isRanked, type Row } from './row.ts';
import { apart, type LogScale, logScale } from './scale.ts';

const width = 900;
const plot = { left: 70, right: 520, height: 360, top: 40 } as const;
const panelHeight = plot.top + plot.height + 50;
const labelGap = 17;
const receiveBatch = 'receive-100';

/** Kinds of work, each with its colour; what a line is says the label at its end. */
const families: readonly { readonly name: string; readonly ids: RegExp }[] = [
  { name: 'receive', ids: /^(ranked-)?(receive|evict|replace)/ },
  { name: 'lifecycle', ids: /^(ranked-)?(mark|acknowledge|release|drop|confirm|rollback|take|sweep|revise)/ },
  { name: 'read', ids: /^(ranked-)?(status|log|peek|find|usage|reap|since)/ },
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
  .lead { opacity: 0.5 } .limit { --c: #57606a } .limit .line { stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .limit { --c: #9198a1 } .grid { stroke: #3d444d }
    .receive { --c: #58a6ff } .lifecycle { --c: #f0883e } .read { --c: #3fb950 } .events { --c: #bc8cff } .restart { --c: #f778ba }
  }`;

/** Cost against n, a panel for each backend, as an SVG image that needs nothing else. */
export function chart(result: Result): string {
  const groups = backendsOf(result).flatMap((backend) => groupsOf(result, backend));
  const height = panelHeight * groups.length + 30;
  const panels = groups.map((group, index) => panel(group, index * panelHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Cost of each workload against the number of transactions stored</title>`,
    `<style>${style}</style>`,
    ...panels,
    text(plot.left, height - 12, 'quiet', `Median of a run of ${result.date.slice(0, 10)}; both axes are logarithmic.`),
    '</svg>\n',
  ].join('\n');
}

/** Lines of one panel. */
interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}

function groupsOf({ rows }: Result, backend: string): Group[] {
  const own = rows.filter((row) => row.backend === backend);
  return [
    { title: backend, rows: own.filter((row) => !isRanked(row)) },
    { title: `${backend}, by priority`, rows: own.filter(isRanked) },
  ].filter((group) => group.rows.length > 0);
}

interface Series {
  readonly family: string;
  readonly label: string;
  readonly points: readonly Point[];
}

interface Point {
  readonly n: number;
  readonly micros: number;
}

/** One of each workload whose cost is a time, and the limits of a batch that is received. */
function seriesOf(rows: readonly Row[]): Series[] {
  const timed = rows.filter(({ unit }) => unit === 'µs');
  return [...Map.groupBy(timed, ({ id }) => id)].flatMap(([id, points]) => {
    const own = {
      family: families.find(({ ids }) => ids.test(id))?.name ?? 'read',
      label: short(points[0]?.title ?? id),
      points: points.map(({ n, cost: { median: micros } }) => ({ n, micros })),
    };
    return id === receiveBatch ? [own, ...limitsOf(points)] : [own];
  });
}

function limitsOf(rows: readonly Row[]): Series[] {
  const points = rows.flatMap(({ n, limits }) => limits.map(({ name, cost }) => ({ name, n, micros: cost.median })));
  return [...Map.groupBy(points, ({ name }) => name)].map(([name, own]) => ({
    family: 'limit',
    label: `limit: ${name}, by 100`,
    points: own,
  }));
}

function panel({ title, rows }: Group, y: number): string {
  const series = seriesOf(rows);
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) return '';
  const sizes = points.map(({ n }) => n);
  const micros = points.map((point) => point.micros);
  const across = logScale(sizes, plot.left, plot.right);
  const up = logScale(micros, plot.top + plot.height, plot.top);
  const ends = series.map((one) => up.at(last(one).micros));
  const places = apart(ends, labelGap, plot.top + plot.height + 4);
  return [
    `<g transform="translate(0 ${y})">`,
    text(plot.left, 22, 'title', title),
    axes(across, up),
    ...series.map((one, index) => line(one, across, up, places[index] as number)),
    '</g>',
  ].join('\n');
}

function last({ points }: Series): Point {
  return points.at(-1) as Point;
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

function line(series: Series, across: LogScale, up: LogScale, labelY: number): string {
  const places = series.points.map(({ n, micros }) => [round(across.at(n)), round(up.at(micros))] as const);
  const [endX, endY] = places.at(-1) as readonly [number, number];
  return [
    `<g class="${series.family}">`,
    `<polyline class="line" points="${places.map((place) => place.join(',')).join(' ')}"/>`,
    ...places.map(([x, y]) => `<circle class="dot" cx="${x}" cy="${y}" r="3"/>`),
    `<path class="lead" d="M${endX + 5} ${endY}L${plot.right + 18} ${round(labelY)}"/>`,
    text(plot.right + 22, labelY + 4, 'label', `${series.label} · ${cost(last(series).micros, 'µs')}`),
    '</g>',
  ].join('\n');
}

/** Room is short at the end of a line. */
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
