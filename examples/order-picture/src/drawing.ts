import type { RankedItem, Scene } from './scene.ts';

const width = 940;
const height = 490;
const left = 96;
const columnWidth = 82;
const barWidth = 44;
/** The line that the bars stand on, and what one unit of priority is high. */
const ground = 268;
const unit = 1.4;

const rows = [
  { label: 'ready', y: 334, of: ({ ready }: RankedItem) => (ready ? 'yes' : 'no') },
  { label: 'effective', y: 354, of: ({ effectivePriority }: RankedItem) => String(effectivePriority) },
  { label: 'tie-break', y: 374, of: ({ tieBreakSeq }: RankedItem) => String(tieBreakSeq) },
  { label: 'depth', y: 394, of: ({ depth }: RankedItem) => String(depth) },
  { label: 'seq', y: 414, of: ({ seq }: RankedItem) => String(seq) },
] as const;

/** Colours of both schemes: a picture in a page does not know the page's. */
const style = `
    svg { font: 13px ui-sans-serif, system-ui, sans-serif; }
    .page { fill: #ffffff; } .ink { fill: #1f2328; } .soft { fill: #59636e; } .name { font-size: 16px; font-weight: 600; }
    .own { fill: none; stroke: #59636e; stroke-dasharray: 3 3; } .eff { fill: #0969da; } .late { fill: #9a6700; }
    .band { fill: #9a6700; fill-opacity: 0.1; } .line { fill: none; stroke: #59636e; } .rule { stroke: #d1d9e0; }
    .need { fill: none; stroke: #1f2328; stroke-width: 1.5; } .tip { fill: #1f2328; }
    .reap { fill: none; stroke: #1a7f37; stroke-width: 2; } .evict { fill: none; stroke: #cf222e; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; } .ink { fill: #f0f6fc; } .soft { fill: #9198a1; }
      .own { stroke: #9198a1; } .eff { fill: #4493f8; } .late { fill: #d29922; }
      .band { fill: #d29922; } .line { stroke: #9198a1; } .rule { stroke: #3d444d; }
      .need { stroke: #f0f6fc; } .tip { fill: #f0f6fc; } .reap { stroke: #3fb950; } .evict { stroke: #f85149; }
    }`;

/** Draws the order as an SVG. The same scene gives the same text. */
export function draw(scene: Scene): string {
  const parts = [
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    ...heading(),
    ...parkedBand(scene.order),
    ...scene.order.flatMap((standing, i) => column(standing, i)),
    ...scene.order.flatMap(({ parents }, child) => parents.map((parent) => arrow(parent, child))),
    ...keyRows(scene.order.length),
    ...brackets(scene),
  ];
  return `${opening(scene)}\n${parts.map((part) => `  ${part}`).join('\n')}\n</svg>\n`;
}

function opening({ order, reaped, evicted }: Scene): string {
  const names = order.map(({ name }) => name);
  const desc =
    `The order is ${names.join(', ')}; every arrow from a transaction to one that needs it points to the right. A block of ` +
    `${reaped.maxBytes} bytes takes ${names.slice(0, reaped.count).join(', ')}. A newcomer of ${evicted.bytes} bytes that ` +
    `pays ${evicted.pays} pushes out ${names.slice(-evicted.count).join(', ')}.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `  <title id="title">The one order of a priority pool</title>`,
    `  <desc id="desc">${escaped(desc)}</desc>`,
    `  <style>${style}\n  </style>`,
  ].join('\n');
}

function heading(): string[] {
  return [
    text(24, 32, 'ink name', 'Best first', 'start'),
    text(width - 24, 32, 'ink name', 'Out first', 'end'),
    `<path class="line" d="M124 27H${width - 124}m-8 -4l8 4l-8 4"/>`,
    text(24, ground - 100 * unit + 12, 'soft', 'priority', 'start'),
    `<rect class="own" x="24.5" y="${ground - 100 * unit + 24.5}" width="14" height="14"/>`,
    text(44, ground - 100 * unit + 36, 'soft', 'own', 'start'),
    `<rect class="eff" x="24" y="${ground - 100 * unit + 46}" width="15" height="15"/>`,
    text(44, ground - 100 * unit + 58, 'soft', 'effective', 'start'),
    `<path class="rule" d="M24 ${ground + 0.5}H${width - 24}"/>`,
  ];
}

function parkedBand(order: readonly RankedItem[]): string[] {
  const first = order.findIndex(({ ready }) => !ready);
  if (first === -1) return [];
  const x = left + first * columnWidth;
  const wide = (order.length - first) * columnWidth;
  return [
    `<rect class="band" x="${x}" y="48" width="${wide}" height="${rows[4].y - 38}"/>`,
    text(x + wide / 2, 66, 'late', 'parked'),
  ];
}

function column({ name, pays, effectivePriority, ready }: RankedItem, index: number): string[] {
  const x = middle(index);
  return [
    bar(ready ? 'eff' : 'late', x, barWidth, effectivePriority),
    bar('own', x, barWidth + 6, pays),
    text(x, ground + 22, 'ink name', name),
    text(x, ground + 40, 'soft', `pays ${pays}`),
  ];
}

function bar(kind: string, x: number, wide: number, priority: number): string {
  const tall = round(priority * unit);
  return `<rect class="${kind}" x="${x - wide / 2}" y="${round(ground - tall)}" width="${wide}" height="${tall}"/>`;
}

/** From the one that is needed to the one that needs it, over the bars between. */
function arrow(parent: number, child: number): string {
  const [from, to] = [middle(parent) + 8, middle(child) - 8];
  const top = 112 - 9 * (child - parent);
  const tip = `<path class="tip" d="M${to} 126l-5 -9h10z"/>`;
  return `<path class="need" d="M${from} 122C${from} ${top} ${to} ${top} ${to} 118"/>${tip}`;
}

function keyRows(columns: number): string[] {
  const end = left + columns * columnWidth;
  return rows
    .map(({ label, y }) => text(24, y, 'soft', label, 'start'))
    .concat(`<path class="rule" d="M24 318.5H${end}"/>`);
}

function brackets({ order, reaped, evicted }: Scene): string[] {
  const keys = order.flatMap((standing, i) => rows.map(({ y, of }) => text(middle(i), y, 'ink', of(standing))));
  const end = left + order.length * columnWidth;
  const reapEnd = left + reaped.count * columnWidth;
  const evictStart = end - evicted.count * columnWidth;
  return [
    ...keys,
    bracket('reap', left, reapEnd),
    text(left, 470, 'ink', `reap, ${reaped.maxBytes} bytes: the longest prefix that fits`, 'start'),
    bracket('evict', evictStart, end),
    text(end, 470, 'ink', `eviction for ${evicted.bytes} bytes that pay ${evicted.pays}: the shortest suffix`, 'end'),
  ];
}

function bracket(kind: string, from: number, to: number): string {
  return `<path class="${kind}" d="M${from + 8} 432v12H${to - 8}v-12"/>`;
}

function middle(index: number): number {
  return left + index * columnWidth + columnWidth / 2;
}

function text(
  x: number,
  y: number,
  kind: string,
  content: string,
  anchor: 'start' | 'middle' | 'end' = 'middle',
): string {
  return `<text class="${kind}" x="${x}" y="${round(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
