import { type BackendName, places } from '../backends/backend.ts';
import type { Place } from '../backends/place.ts';
import type { Row } from '../report/row.ts';
import type { Options } from './options.ts';

/** How far apart the ratios of passes may be, by place: two runs are to agree within 15 %, on a server within 30 %. */
const mostApart: Readonly<Record<Place, number>> = { heap: 0.12, file: 0.15, server: 0.3 };

/** No pass beyond this, however far apart they are. */
export const mostPasses = 4;
/** A run of the usual sizes ends within this. */
const mostMinutes = 14.9;
/** What filling the pools takes of a whole pass; a pass of some rows takes as long for it, and its share of the rest. */
const fillingShare = 0.3;

/** Whether there is time for a pass of some of a part's rows, by what its last whole one took. */
export function isTimeFor(
  lastMinutes: number,
  { elapsed, rowsShare }: { readonly elapsed: number; readonly rowsShare: number },
): boolean {
  return elapsed + (fillingShare + (1 - fillingShare) * rowsShare) * lastMinutes <= mostMinutes;
}

/** Not where the passes or rounds were named, nor of a million, which takes half an hour as it is. */
export function hasFurtherPasses({ passes, rounds, full }: Pick<Options, 'passes' | 'rounds' | 'full'>): boolean {
  return passes === undefined && rounds === undefined && !full;
}

/** Further passes are of some of a backend's rows alone, and the median decides. */
export interface Unsettled {
  readonly ids: readonly string[];
  /** Of all that it has. */
  readonly rowsShare: number;
}

/** A backend's rows whose passes tell ratios too far apart. */
export function unsettledRows(rows: readonly Row[], backend: BackendName): Unsettled {
  const isApart = ({ limits }: Row): boolean =>
    limits.some(({ passesApart }) => (passesApart ?? 0) > mostApart[places[backend]]);
  const own = rows.filter((row) => row.backend === backend);
  const ids = new Set(own.filter(isApart).map(({ id }) => id));
  return { ids: [...ids], rowsShare: ids.size / Math.max(1, new Set(own.map(({ id }) => id)).size) };
}
