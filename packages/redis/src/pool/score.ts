import { isInflight, type KnownStage, knownStages } from 'mempool-core';

/** Factors of stage and tick in a score of `idx`, described in lua/pool/keys.lua. */
const stageUnit = 1e15;
const tickUnit = 1e6;

/** A decoded score. `number`: the seq if Pending, the tick if in flight, the logSeq if final. */
export interface IndexPosition {
  readonly stage: KnownStage;
  readonly number: number;
}

export function decodeScore(score: Buffer): IndexPosition | null {
  const value = Number(score);
  const stage = knownStages[Math.floor(value / stageUnit)];
  if (stage === undefined) return null;
  const number = value % stageUnit;
  return { stage, number: isInflight(stage) ? Math.floor(number / tickUnit) : number };
}

export function encodeScore({ stage, number }: IndexPosition, seq: number): string {
  const within = isInflight(stage) ? number * tickUnit + (seq % tickUnit) : number;
  return String(knownStages.indexOf(stage) * stageUnit + within);
}
