import { causes, knownStages } from 'mempool-core';

/** Factors of stage and tick in a score of `idx`, described in lua/pool/keys.lua. */
export const stageUnit = 1e15;
export const tickUnit = 1e6;
/** A Pending transaction that is held back has a score higher by this (P20). */
export const heldUnit = 5e14;

/** The constants of the pool's scripts: stages and causes by their codes in core's lists, and the factors of scores. */
export const luaConstants: string = [
  ...[...knownStages, 'Unknown'].map((stage, code) => `local ${stage.toUpperCase()} = ${code}`),
  `local T, P, H = ${stageUnit}, ${tickUnit}, ${heldUnit}`,
  `local CAUSE = { ${causes.map((cause, code) => `['${cause}'] = ${code}`).join(', ')} }`,
].join('\n');
