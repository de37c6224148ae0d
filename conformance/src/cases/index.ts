import type { ConformanceCase } from '../case.ts';
import { chainCases } from './chain.ts';
import { confirmationCases } from './confirmation.ts';
import { rollbackDepthCases } from './depth.ts';
import { matrixCases } from './matrix.ts';
import { propagationCases } from './propagation.ts';
import { receivingCases } from './receiving.ts';
import { revivalCases, sightingCases } from './revival.ts';
import { rollbackCases } from './rollback.ts';
import { thresholdCases } from './thresholds.ts';

/** Every case of the suite, in the order of the rules. */
export const allCases: readonly ConformanceCase[] = [
  ...receivingCases,
  ...propagationCases,
  ...confirmationCases,
  ...thresholdCases,
  ...revivalCases,
  ...sightingCases,
  ...rollbackCases,
  ...rollbackDepthCases,
  ...matrixCases,
  ...chainCases,
];
