import { readFileSync } from 'node:fs';
import type { RecordedBlock } from 'evm-chain';
import type { Deployed } from 'mempool-sequencer/evm';

/** What `record.ts` has written. */
export interface Recorded {
  readonly contract: Omit<Deployed, 'url'>;
  /** From block 0. */
  readonly main: readonly RecordedBlock[];
  /** What took the place of the blocks from 5 on. */
  readonly fork: readonly RecordedBlock[];
}

export const recorded: Recorded = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8'));

/** The blocks of the main branch up to this number, or of the other one. */
export function chainTo(number: number, branch: 'main' | 'fork'): readonly RecordedBlock[] {
  const before = branch === 'main' ? recorded.main : [...recorded.main.slice(0, 5), ...recorded.fork];
  return before.slice(0, number + 1);
}
