import { type BackendName, places } from './bench-backend.ts';
import type { Options } from './options.ts';
import type { Place } from './place.ts';
import type { Row } from './row.ts';

/** How far apart the ratios of passes may be, by place: two runs are to agree within 15 %, on a server within 30 %. */
const mostApart: Readonly<Record<Place, number>> = { heap: 0.08, file: 0.08, server: 0.16 };

/** No pass beyond this, however far apart they are. */
export const mostPasses = 4;
/** A whole run ends within fifteen minutes: none of them begins later. */
export const latestMinutes = 13.4;

/** Not where the passes or rounds were named, nor of a million, which takes half an hour as it is. */
export function hasFurtherPasses({ passes, rounds, full }: Pick<Options, 'passes' | 'rounds' | 'full'>): boolean {
  return passes === undefined && rounds === undefined && !full;
}

/** The ids of a backend's rows whose passes do not tell the same ratio yet: a further pass is of these alone. */
export function unsettledRows(rows: readonly Row[], backend: BackendName): string[] {
  const isApart = ({ limits }: Row): boolean =>
    limits.some(({ passesApart }) => (passesApart ?? 0) > mostApart[places[backend]]);
  return [...new Set(rows.filter((row) => row.backend === backend && isApart(row)).map(({ id }) => id))];
}
