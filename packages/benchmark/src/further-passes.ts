import { type BackendName, places } from './bench-backend.ts';
import type { Options } from './options.ts';
import type { Place } from './place.ts';
import type { Row } from './row.ts';

/** How far apart the ratios of passes may be, by place: two runs are to agree within 15 %, on a server within 30 %. */
const mostApart: Readonly<Record<Place, number>> = { heap: 0.12, file: 0.15, server: 0.3 };

/** No pass beyond this, however far apart they are. */
export const mostPasses = 4;
/** A run of the usual sizes ends within this. */
const mostMinutes = 14.9;
/** Of the time of a whole pass, for a pass of some rows: to fill the pools takes as long as before. */
const shareOfTime = 0.6;

/** Whether there is time for another pass of a part, by what its last whole one took. */
export function isTimeFor(lastMinutes: number, { elapsed }: { readonly elapsed: number }): boolean {
  return elapsed + shareOfTime * lastMinutes <= mostMinutes;
}

/** Not where the passes or rounds were named, nor of a million, which takes half an hour as it is. */
export function hasFurtherPasses({ passes, rounds, full }: Pick<Options, 'passes' | 'rounds' | 'full'>): boolean {
  return passes === undefined && rounds === undefined && !full;
}

/** The ids of a backend's rows whose passes tell ratios too far apart: further passes are of these alone, and the median decides. */
export function unsettledRows(rows: readonly Row[], backend: BackendName): string[] {
  const isApart = ({ limits }: Row): boolean =>
    limits.some(({ passesApart }) => (passesApart ?? 0) > mostApart[places[backend]]);
  return [...new Set(rows.filter((row) => row.backend === backend && isApart(row)).map(({ id }) => id))];
}
