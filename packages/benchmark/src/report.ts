import { arch, cpus, platform, totalmem } from 'node:os';
import type { Figure } from './measure.ts';

export function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, ${platform()} ${arch()}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${memory} GiB`;
}

function number(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

/** One figure as a line of a Markdown table. */
export function row({ measure, median, least, most, met }: Figure): string {
  const { kind, value } = measure.goal;
  const spread = measure.rounds > 1 ? ` (${number(least)}–${number(most)})` : '';
  const goal = `${kind} ${value.toLocaleString('en')}`;
  const cells = [
    measure.backend,
    measure.title,
    `${number(median)}${spread} ${measure.unit}`,
    goal,
    met ? 'yes' : 'no',
  ];
  return `| ${cells.join(' | ')} |`;
}

export const head: readonly string[] = [
  '| backend | what | median (least–most) | goal | met |',
  '|---|---|---|---|---|',
];
