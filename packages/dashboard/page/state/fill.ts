import { formatBig, formatBytes, formatCount } from '../format/numbers.ts';
import type { WireFloor, WireLimits, WireUsage } from '../wire/answers.ts';

/** How near a pool is to one of its limits. */
export interface Fill {
  /** Used of the limit that is nearest. */
  readonly used: number;
  readonly limit: number;
  readonly text: string;
}

/** The limit that is nearest; `null` if the pool has none. */
export function fillOf(usage: WireUsage, limits: WireLimits): Fill | null {
  const transactions = usage.load?.transactions ?? usage.pending + usage.propagated + usage.acknowledged;
  const fills = [
    fill(transactions, limits.maxTxs, (count) => formatCount(count)),
    fill(usage.load?.bytes, limits.maxBytes, formatBytes),
  ].filter((each) => each !== null);
  const [nearest = null] = fills.sort((a, b) => b.used / b.limit - a.used / a.limit);
  return nearest;
}

function fill(
  used: number | undefined,
  limit: number | 'never' | undefined,
  format: (count: number) => string,
): Fill | null {
  if (used === undefined || limit === undefined || limit === 'never' || limit === 0) return null;
  return { used, limit, text: `${format(used)} of ${format(limit)}` };
}

/** The least priority that is admitted. */
export function floorText(floor: WireFloor): string {
  switch (floor.kind) {
    case 'open':
      return 'no floor';
    case 'at-least':
      return `floor ${formatBig(floor.priority)}`;
    case 'closed':
      return 'closed to newcomers';
  }
}
