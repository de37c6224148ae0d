import { digits, spread, table } from '../report/format.ts';
import type { Figure, Sampled } from '../runner/measure.ts';
import type { CutRow } from './correctness.ts';
import type { Peer } from './peer.ts';

interface NotRun {
  readonly kind: 'not run';
  readonly backend: string;
  readonly title: string;
  readonly reason: string;
}

/** A row of the comparison in one pass: what its rounds gave, or why there are none. */
export type PeerSampled = { readonly kind: 'measured'; readonly sampled: Sampled } | NotRun;

/** A row of the comparison: a figure, or why there is none. */
export type PeerRow = { readonly kind: 'measured'; readonly figure: Figure } | NotRun;

export type Lack = Pick<Peer, 'name' | 'lacks'>;

/** Speeds, ours ÷ the peer's. */
export function speedTable(rows: readonly PeerRow[]): string {
  return table(['backend', 'what', 'ours ÷ peer, median (least–most)', 'goal', 'met'], rows.map(speedCells));
}

function speedCells(row: PeerRow): string[] {
  switch (row.kind) {
    case 'measured': {
      const { backend, title, value, goal, met } = row.figure;
      return [backend, title, `${spread(value, digits)} ×`, `${goal.kind} ${goal.value}`, met ? 'yes' : 'no'];
    }
    case 'not run':
      return [row.backend, row.title, notRun(row.reason), '–', '–'];
  }
}

/** What cut connections left behind. */
export function cutTable(rows: readonly CutRow[]): string {
  const head = ['store', 'step', 'cuts', 'doubled', 'lost or held by nobody', 'caller does not know'];
  return table(head, rows.map(cutCells));
}

function cutCells(row: CutRow): string[] {
  switch (row.kind) {
    case 'counted':
      return [row.peer, row.step, ...[row.cuts, row.doubled, row.lost, row.unknown].map(String)];
    case 'not run':
      return [row.peer, row.step, notRun(row.reason), '–', '–', '–'];
  }
}

/** In what a comparison of speeds alone would be unfair to ours. */
export function lackList(peers: readonly Lack[]): string {
  const lines = new Map(peers.map(({ name, lacks }) => [name, `- ${name}: ${lacks}.`]));
  return [...lines.values()].join('\n');
}

function notRun(reason: string): string {
  return `not run: ${reason.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}`;
}
