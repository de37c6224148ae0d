import type { Block } from 'mempool-core';
import { hashOf, numbers, pointOf } from '../numbered.ts';

/** The block that a killed leader was confirming. */
export const block: Block = { point: pointOf(1), seen: numbers(3, 1).map(hashOf), unseen: [] };
