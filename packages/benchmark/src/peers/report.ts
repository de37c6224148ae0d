import type { Section } from '../report/result.ts';
import { type Figure, figureOf } from '../runner/measure.ts';
import type { PeersMeasured } from './comparison.ts';
import { cutTable, lackList, type PeerRow, type PeerSampled, speedTable } from './tables.ts';

interface PeersReport {
  readonly goals: readonly Figure[];
  readonly sections: readonly Section[];
}

/** What all passes gave, put together; nothing where the peers were left out. */
export function peersReport(passes: readonly PeersMeasured[]): PeersReport {
  const [first] = passes;
  if (first === undefined) return { goals: [], sections: [] };
  const rows = first.rows.map((row, i) => together([row, ...passes.slice(1).flatMap((pass) => pass.rows[i] ?? [])]));
  return { goals: goalsOf(rows), sections: [speeds(rows, first), correctness(cutTable(first.cuts))] };
}

/** One that did not run in one of the passes has no figure. */
function together(passes: readonly PeerSampled[]): PeerRow {
  const failed = passes.find((row) => row.kind === 'not run');
  if (failed !== undefined) return failed;
  const sampled = passes.flatMap((row) => (row.kind === 'measured' ? [row.sampled] : []));
  const [head] = sampled as [(typeof sampled)[number]];
  return { kind: 'measured', figure: figureOf({ ...head, values: sampled.flatMap(({ values }) => values) }) };
}

/** Not to be slower is no goal of the design, only what a reader looks for. */
function goalsOf(rows: readonly PeerRow[]): Figure[] {
  return rows.flatMap((row) => (row.kind === 'measured' && row.figure.goal.value > 1 ? [row.figure] : []));
}

function speeds(rows: readonly PeerRow[], { ran, lacking }: PeersMeasured): Section {
  const calls =
    'In bulk and without a number is 100 transactions a call, where there is such a call. A goal of 1 is "not slower".';
  const lack = `What each has not, next to ours:\n\n${lackList(lacking)}`;
  return { title: 'Peers', markdown: [`${ran} ${calls}`, speedTable(rows), lack].join('\n\n') };
}

function correctness(rows: string): Section {
  const note = [
    'Each step is asked for one transaction while its connection is cut before one of the replies that it needs (chosen by',
    'seed); a caller that gets an error tries once more. Doubled is a second copy, or a second transaction taken for one',
    'call. Held by nobody is in flight with no caller told of it: a running BullMQ worker gives it back after 30 seconds,',
    'bee-queue at a stall check, Alto never.',
  ].join('\n');
  return { title: 'A connection cut before the reply', markdown: `${note}\n\n${rows}` };
}
