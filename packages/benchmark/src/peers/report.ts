import type { Figure } from '../report/figure.ts';
import { digits, spread, table } from '../report/format.ts';
import type { Result } from '../report/result.ts';
import type { CutRow } from './cuts.ts';
import type { Peer } from './peer.ts';

/** A row of the comparison: a figure, or why there is none. */
export type SpeedRow =
  | { readonly kind: 'measured'; readonly figure: Figure }
  | { readonly kind: 'not run'; readonly backend: string; readonly title: string; readonly reason: string };

/** What the comparison with others gave. */
export interface Compared {
  readonly rows: readonly SpeedRow[];
  readonly cuts: readonly CutRow[];
  /** Which packages ran, or why none did. */
  readonly ran: string;
  readonly lacking: readonly Pick<Peer, 'name' | 'lacks'>[];
}

export function peerSections({ rows, cuts, ran, lacking }: Compared): Result['sections'] {
  const calls =
    'In bulk and without a number is 100 transactions a call, where there is such a call. A goal of 1 is "not slower".';
  const lack = `What each has not, next to ours:\n\n${lackList(lacking)}`;
  return [
    { title: 'Peers', markdown: [`${ran} ${calls}`, speedTable(rows), lack].join('\n\n') },
    { title: 'A connection cut before the reply', markdown: `${cutNote}\n\n${cutTable(cuts)}` },
  ];
}

/** Not to be slower is no goal of the design: only the goals above 1 count. */
export function peerGoals({ rows }: Pick<Compared, 'rows'>): Figure[] {
  return rows.flatMap((row) => (row.kind === 'measured' && row.figure.goal.value > 1 ? [row.figure] : []));
}

export function speedTable(rows: readonly SpeedRow[]): string {
  const cells = rows.map((row) => {
    if (row.kind === 'not run') return [row.backend, row.title, notRun(row.reason), '–', '–'];
    const { backend, title, value, goal, met } = row.figure;
    return [backend, title, `${spread(value, digits)} ×`, `${goal.kind} ${goal.value}`, met ? 'yes' : 'no'];
  });
  return table(['backend', 'what', 'ours ÷ peer, median (least–most)', 'goal', 'met'], cells);
}

const cutNote = [
  'Each step is asked for one transaction while its connection is cut before one of the replies that it needs (chosen by',
  'seed); a caller that gets an error tries once more. Doubled is a second copy, or a second transaction taken for one',
  'call. Held by nobody is in flight with no caller told of it: a running BullMQ worker gives it back after 30 seconds,',
  'bee-queue at a stall check, Alto never.',
].join('\n');

export function cutTable(rows: readonly CutRow[]): string {
  const cells = rows.map((row) => {
    if (row.kind === 'not run') return [row.peer, row.step, notRun(row.reason), '–', '–', '–'];
    return [row.peer, row.step, ...[row.cuts, row.doubled, row.lost, row.unknown].map(String)];
  });
  return table(['store', 'step', 'cuts', 'doubled', 'lost or held by nobody', 'caller does not know'], cells);
}

/** Where a comparison of speeds alone would be unfair to ours. */
export function lackList(peers: Compared['lacking']): string {
  return [...new Set(peers.map(({ name, lacks }) => `- ${name}: ${lacks}.`))].join('\n');
}

function notRun(reason: string): string {
  return `not run: ${reason.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}`;
}
