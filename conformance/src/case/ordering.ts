import type { OpenOptions } from 'mempool-core';
import type { ConformanceCase, Need } from './case.ts';

const mark = '@priority';

/**
 * Each case twice: as it is, and on priority pools. A priority pool whose transactions all have the same priority keeps every rule
 * of a fifo pool. The second case has the id of the first, followed by `@priority`, and needs the capability `priority`.
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

/** The id of the case without `@priority`. */
export function writtenId({ id }: Pick<ConformanceCase, 'id'>): string {
  return id.endsWith(mark) ? id.slice(0, -mark.length) : id;
}

/** The options to open a pool with: if they name no ordering, with that of the case. */
export function ordered(
  options: OpenOptions | undefined,
  { ordering }: Pick<ConformanceCase, 'ordering'>,
): OpenOptions | undefined {
  return ordering === undefined ? options : { ordering, ...options };
}
