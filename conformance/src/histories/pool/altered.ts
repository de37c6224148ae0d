import type { Random } from '../../case/random.ts';

/** One of these values, or the first with one part of it as in the other. */
export function mixed(random: Random, one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length === 0 || other.length === 0) return other;
    const at = random.below(one.length);
    return one.with(at, mixed(random, one[at], other[at % other.length]));
  }
  if (!isPlain(one) || !isPlain(other)) return other;
  const names = Object.keys({ ...one, ...other }).filter((name) => name !== 'operationId');
  if (names.length === 0) return one;
  const name = random.pick(names);
  if (!(name in other)) return Object.fromEntries(Object.entries(one).filter(([each]) => each !== name));
  // A verdict has fields that exclude each other.
  const isWhole = name === 'verdict' || name === 'answer';
  return { ...one, [name]: isWhole ? other[name] : mixed(random, one[name], other[name]) };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
