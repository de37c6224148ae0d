import { checkVerdict } from '../boundary/verdicts.ts';
import { invalid } from '../contract/errors.ts';
import type { CheckedRevision } from '../contract/pool-driver.ts';
import type { Revision } from '../contract/pool-verbs.ts';
import { type CheckedVerdict, defaultVerdict, type Verdict } from '../contract/verdict.ts';

/**
 * A copy, checked. A field that no verdict has is a mistake: what was meant as a refusal must not take a transaction in.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field below `place`
 */
export function ownVerdict(place: string, verdict: Verdict): Verdict {
  if (typeof verdict !== 'object' || verdict === null) throw invalid(place, 'a verdict');
  const unknown = Object.keys(verdict).find((field) => !Object.hasOwn(defaultVerdict, field));
  if (unknown !== undefined) throw invalid(`${place}.${unknown}`, 'left out: a verdict has no such field');
  return asVerdict(checkVerdict(place, verdict));
}

/** A checked revision as it is handed in. */
export function asRevision({ hash, version, answer }: CheckedRevision): Revision {
  return { hash, version, answer: 'refusal' in answer ? answer.refusal : asVerdict(answer.verdict) };
}

function asVerdict({ senderLimit, expiresAt, expiresAtHeight, ...rest }: CheckedVerdict): Verdict {
  return {
    ...rest,
    senderLimit: senderLimit ?? undefined,
    expiresAt: expiresAt ?? undefined,
    expiresAtHeight: expiresAtHeight ?? undefined,
  };
}
