import type { Spread } from './spread.ts';

/** Three digits, or whole thousands with commas. */
export function digits(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

/** Microseconds, with a shorter unit from a thousand on. */
export function cost(value: number): string {
  return value >= 1_000 ? `${digits(value / 1_000)} ms` : `${digits(value)} µs`;
}

/** The median, and from the least to the most where there was more than one round. */
export function spread({ median, least, most, rounds }: Spread, show: (value: number) => string): string {
  return rounds > 1 ? `${show(median)} (${show(least)}–${show(most)})` : show(median);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
