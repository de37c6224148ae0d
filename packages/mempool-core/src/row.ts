import { type Life, live } from './lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from './transaction.ts';

/** What only a row has that a block has touched. */
interface Mark {
  /** Its own, since it outlives the kept blocks (L12). */
  readonly point: ChainPoint | null;
  /** Its latest log entry; `null` while live. */
  readonly final: Life | null;
}

/** What memory keeps of a hash that is live or in the log: as few fields as there can be, since there are a million of them. */
export interface Row extends Transaction {
  readonly seq: number;
  stage: KnownStage;
  tick: number;
  mark: Mark | null;
}

export function makeRow(life: Life, point: ChainPoint | null, { payload, payloadType }: Transaction): Row {
  const { hash, seq, stage, tick } = life;
  return { hash, payload, payloadType, seq, stage, tick, mark: markOf(life, point) };
}

export function lifeOf({ hash, seq, stage, tick, mark }: Row): Life {
  return mark?.final ?? live(hash, seq, stage as LiveStage, tick);
}

export function rewrite(row: Row, life: Life, point: ChainPoint | null): void {
  row.stage = life.stage;
  row.tick = life.tick;
  row.mark = markOf(life, point);
}

export function bodyOf({ hash, payload, payloadType }: Row): Transaction {
  return { hash, payload, payloadType };
}

/** The confirming block of a Confirmed or Finalized row. */
export function pointOf({ mark }: Row): ChainPoint | null {
  return mark?.point ?? null;
}

function markOf(life: Life, point: ChainPoint | null): Mark | null {
  const final = isLive(life.stage) ? null : life;
  return point === null && final === null ? null : { point, final };
}
