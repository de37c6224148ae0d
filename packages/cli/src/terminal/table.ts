/** Formats rows in columns. Numbers are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) => row.map(String));
  const widths = head.map((title, i) => Math.max(title.length, ...texts.map((row) => row[i]?.length ?? 0)));
  const isNumber = head.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === 'number'));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), ...texts.map(line)].join('\n');
}

/** Formats names and values, one pair per line. */
export function pairs(entries: readonly (readonly [name: string, value: string | number])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

/** Formats the time since `at`, such as `3m 12s`; `-` without a time. */
export function ago(at: number | null | undefined, now: number): string {
  return at === null || at === undefined ? '-' : span(Math.max(0, now - at));
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
] as const;

/** Formats a duration in its two largest units. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  const first = units.findIndex(([size]) => ms >= size);
  const parts = units.slice(first, first + 2).map(([size, sign], i, all) => {
    const above = i === 0 ? Number.POSITIVE_INFINITY : (all[i - 1]?.[0] ?? 1);
    return `${Math.floor((ms % above) / size)}${sign}`;
  });
  return parts.filter((part, i) => i === 0 || !part.startsWith('0')).join(' ');
}
