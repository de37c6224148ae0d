import type { VNode } from 'preact';
import type { Level } from '../state/projection.ts';

interface Cell {
  readonly hash: string;
  readonly level: Level;
}

interface Given {
  readonly cells: readonly Cell[];
  readonly columns: number;
  readonly rows: number;
  /** The picture in words. */
  readonly label: string;
  readonly chosen: (hash: string) => void;
}

const levels: readonly Level[] = [0, 1, 2, 3, 4];
const size = 0.84;

/**
 * Transactions as squares in rows. Each colour is one path, so that hundreds are as cheap as one. A click opens one; for
 * those who do not point, a list of the same transactions stands below.
 */
export function Cells({ cells, columns, rows, label, chosen }: Given): VNode {
  const pointing = {
    onClick: (event: MouseEvent): void => {
      const cell = cells[cellAt(event, columns, rows)];
      if (cell !== undefined) chosen(cell.hash);
    },
  };
  return (
    <svg class="cells" viewBox={`0 0 ${columns} ${rows}`} role="img" aria-label={label} {...pointing}>
      {levels.map((level) => (
        <path class={`level-${level}`} key={level} d={pathOf(cells, level, columns)} />
      ))}
    </svg>
  );
}

function pathOf(cells: readonly Cell[], level: Level, columns: number): string {
  return cells.map((cell, i) => (cell.level === level ? squareAt(i % columns, Math.floor(i / columns)) : '')).join('');
}

function squareAt(x: number, y: number): string {
  const edge = (1 - size) / 2;
  return `M${(x + edge).toFixed(2)} ${(y + edge).toFixed(2)}h${size}v${size}h-${size}z`;
}

function cellAt({ currentTarget, clientX, clientY }: MouseEvent, columns: number, rows: number): number {
  if (!(currentTarget instanceof Element)) return -1;
  const { left, top, width, height } = currentTarget.getBoundingClientRect();
  const column = Math.min(columns - 1, Math.floor(((clientX - left) / width) * columns));
  return Math.floor(((clientY - top) / height) * rows) * columns + column;
}
