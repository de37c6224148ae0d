import { unknown } from './numbers.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something took or is ago: `354 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return unknown;
  if (Math.round(ms) < second) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9.95 * second) return `${(ms / second).toFixed(1)} s`;
  if (ms < 59.5 * second) return `${Math.round(ms / second)} s`;
  if (rounded(ms, second) < hour) return twoParts(ms, [minute, 'min'], [second, 's']);
  if (rounded(ms, minute) < day) return twoParts(ms, [hour, 'h'], [minute, 'min']);
  return twoParts(ms, [day, 'd'], [hour, 'h']);
}

const rounded = (ms: number, unit: number): number => Math.round(ms / unit) * unit;

type Unit = readonly [ms: number, name: string];

function twoParts(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const told = rounded(ms, small);
  const rest = Math.floor((told % large) / small);
  const first = `${Math.floor(told / large)} ${largeName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** An age in whole seconds, minutes, hours or days, so that it does not flicker: `now`, `12 s`, `3 min`. */
export function formatAge(ms: number): string {
  if (ms < 2 * second) return 'now';
  if (ms < minute) return `${Math.floor(ms / second)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min`;
  if (ms < day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} d`;
}

const two = (part: number): string => String(part).padStart(2, '0');

/** The time of day in the reader's time zone: `17:05:09`. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The same with milliseconds: `17:05:09.042`. */
export function formatExactClock(at: number): string {
  return `${formatClock(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`;
}

/** Day and time in the reader's time zone: `2026-11-23 17:05`. */
export function formatDate(at: number): string {
  const date = new Date(at);
  const days = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
