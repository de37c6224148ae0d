import type { MempoolStore } from 'mempool-core';
import type { CaseContext } from '../../case/case.ts';
import { historyOptions } from '../../histories/pool-history.ts';

export type Nodes = readonly [MempoolStore, MempoolStore, MempoolStore];

export function openNodes({ open }: CaseContext): Promise<Nodes> {
  return Promise.all([open(historyOptions), open(historyOptions), open(historyOptions)]);
}
