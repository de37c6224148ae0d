import { type Life, live } from './lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from './transaction.ts';

/** What memory keeps of a hash that is live or in the log: as few fields as there can be, since there are a million of them. */
export interface Row extends Transaction {
  readonly seq: number;
  stage: KnownStage;
  tick: number;
  /** Its own, since it outlives the kept blocks (L12). */
  point: ChainPoint | null;
  /** Its latest log entry; `null` while live. */
  final: Life | null;
}

export function makeRow(life: Life, point: ChainPoint | null, { payload, payloadType }: Transaction): Row {
  const { hash, seq, stage, tick } = life;
  return { hash, payload, payloadType, seq, stage, tick, point, final: isLive(stage) ? null : life };
}

export function lifeOf({ hash, seq, stage, tick, final }: Row): Life {
  return final ?? live(hash, seq, stage as LiveStage, tick);
}

export function rewrite(row: Row, life: Life, point: ChainPoint | null): void {
  row.stage = life.stage;
  row.tick = life.tick;
  row.point = point;
  row.final = isLive(life.stage) ? null : life;
}

export function bodyOf({ hash, payload, payloadType }: Row): Transaction {
  return { hash, payload, payloadType };
}
