import type { OpenOptions } from 'mempool-core';
import type { ConformanceCase, Need } from './case.ts';

const mark = '@priority';

/**
 * Returns each case twice: unchanged, and on priority pools. A priority pool whose transactions all have the same priority keeps every
 * rule of a fifo pool. The second case has the id of the first, followed by `@priority`, and needs the capability `priority`.
 */
export function onBothOrderings(cases: readonly ConformanceCase[]): ConformanceCase[] {
  return cases.flatMap((one) => [
    one,
    { ...one, id: `${one.id}${mark}`, ordering: 'priority', needs: rankedNeeds(one) },
  ]);
}

function rankedNeeds({ needs = [] }: ConformanceCase): Need[] {
  return [...needs, 'priority'];
}

/** Returns the id of the case without `@priority`. */
export function writtenId({ id }: Pick<ConformanceCase, 'id'>): string {
  return id.endsWith(mark) ? id.slice(0, -mark.length) : id;
}

/** Returns the options with which to open a pool. If they name no ordering, it is that of the case. A pool sweeps only when the case says so. */
export function ordered(
  options: OpenOptions | undefined,
  { ordering }: Pick<ConformanceCase, 'ordering'>,
): OpenOptions {
  return { sweepEveryMs: Number.POSITIVE_INFINITY, ...(ordering !== undefined && { ordering }), ...options };
}
