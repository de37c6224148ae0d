import type { Limits } from '../contract/limits.ts';
import { unsupported } from './call-errors.ts';
import type { ReadSubmission } from './submissions.ts';
import { checkVerdict, saysNothing } from './verdicts.ts';

/** What a pool in order of arrival would have to forget. */
export function checkFifoSubmissions(submissions: readonly ReadSubmission[]): readonly ReadSubmission[] {
  for (let i = 0; i < submissions.length; i++) {
    const { verdict, from } = submissions[i] as ReadSubmission;
    if (verdict === undefined && from === undefined) continue;
    if (from === undefined && saysNothing(checkVerdict(`transactions[${i}].verdict`, verdict))) continue;
    throw unsupported(`a pool in order of arrival keeps no verdicts and no sources (transactions[${i}])`);
  }
  return submissions;
}

/** Limits that such a pool does not have. @throws `ERR_MEMPOOL_UNSUPPORTED` */
export function checkFifoLimits({ maxTxs: _, ...others }: Partial<Limits>): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw unsupported(`a pool in order of arrival has no ${name}`);
}
