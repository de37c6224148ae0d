import { invalid } from '../errors.ts';
import { checkVerdict, defaultVerdict, type Verdict } from './verdict.ts';

/**
 * A copy, checked. A field that no verdict has is a mistake: what was meant as a refusal must not take a transaction in.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field below `place`
 */
export function ownVerdict(place: string, verdict: Verdict): Verdict {
  if (typeof verdict !== 'object' || verdict === null) throw invalid(place, 'a verdict');
  const unknown = Object.keys(verdict).find((field) => !Object.hasOwn(defaultVerdict, field));
  if (unknown !== undefined) throw invalid(`${place}.${unknown}`, 'left out: a verdict has no such field');
  const { senderLimit, expiresAt, expiresAtHeight, ...rest } = checkVerdict(place, verdict);
  return {
    ...rest,
    senderLimit: senderLimit ?? undefined,
    expiresAt: expiresAt ?? undefined,
    expiresAtHeight: expiresAtHeight ?? undefined,
  };
}
