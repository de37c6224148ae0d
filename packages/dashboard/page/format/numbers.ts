const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

/** What stands for a number that is not known. */
export const unknown = '–';

/** A whole number with separators: `12,345`. */
export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? unknown : whole.format(count);
}

/** A number that needs little room: `12.3K`. */
export function formatShort(count: number): string {
  return short.format(count);
}

/** A rate: `0.4`, `12`, `3,200`. */
export function formatPerMinute(perMinute: number): string {
  return (perMinute < 10 ? oneDigit : whole).format(perMinute);
}

/** A big number, which the API writes as text, with separators. A text of another form stays as it is. */
export function formatBig(text: string): string {
  return /^-?\d{1,30}$/.test(text) ? whole.format(BigInt(text)) : text;
}

/** An amount in minor units, shown with decimal places: `12,345` with 2 is `123.45`. */
export function formatMoney(units: string, decimals: number): string {
  const [, sign = '', digits = ''] = /^(-?)(\d{1,40})$/.exec(units) ?? [];
  if (digits === '' || decimals === 0) return formatBig(units);
  const all = digits.padStart(decimals + 1, '0');
  return `${sign}${formatBig(all.slice(0, -decimals))}.${all.slice(-decimals)}`;
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes: `512 B`, `1.5 KiB`, `256 MiB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (Math.abs(size) >= 1024 && unit < byteUnits.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const text = Math.abs(size) < 10 && unit > 0 ? oneDigit.format(size) : whole.format(size);
  return `${text} ${byteUnits[unit]}`;
}

/** A part of a whole: `12%`; `<1%` for little that is not nothing. */
export function formatShare(part: number, all: number): string {
  if (!(all > 0)) return unknown;
  const percent = (part / all) * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${whole.format(Math.floor(percent))}%`;
}
