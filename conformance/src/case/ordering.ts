import type { OpenOptions } from 'mempool-core';
import type { ConformanceCase, Need } from './case.ts';

const mark = '@priority';

/**
 * Each case as it is, and again on pools by priority. Without a priority such a pool keeps every rule of a fifo pool. The second
 * case has the id of the first with `@priority` behind it, and needs the capability.
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

/** The id of the case as it was written, whichever pools it runs on. */
export function writtenId({ id }: Pick<ConformanceCase, 'id'>): string {
  return id.endsWith(mark) ? id.slice(0, -mark.length) : id;
}

/** What a pool is opened with: the case's ordering, where the options name none. */
export function ordered(
  options: OpenOptions | undefined,
  { ordering }: Pick<ConformanceCase, 'ordering'>,
): OpenOptions | undefined {
  return ordering === undefined ? options : { ordering, ...options };
}
