import { isInflight, type KnownStage, knownStages } from 'mempool-core';
import { heldUnit, stageUnit, tickUnit } from '../connection/lua-constants.ts';

/** A decoded score. `number` is the seq if Pending, the tick if in flight, the logSeq if final. */
export interface IndexPosition {
  readonly stage: KnownStage;
  readonly number: number;
}

export function decodeScore(score: Buffer | number): IndexPosition | null {
  const value = Number(score);
  const stage = knownStages[Math.floor(value / stageUnit)];
  if (stage === undefined) return null;
  const number = value % stageUnit;
  if (isInflight(stage)) return { stage, number: Math.floor(number / tickUnit) };
  return { stage, number: stage === 'Pending' ? number % heldUnit : number };
}

export function encodeScore(position: IndexPosition, seq: number, isHeld: boolean): string {
  return String(placeScore(position, seq, isHeld));
}

export function placeScore({ stage, number }: IndexPosition, seq: number, isHeld: boolean): number {
  const place = isHeld ? heldUnit + number : number;
  const within = isInflight(stage) ? number * tickUnit + (seq % tickUnit) : place;
  return knownStages.indexOf(stage) * stageUnit + within;
}
