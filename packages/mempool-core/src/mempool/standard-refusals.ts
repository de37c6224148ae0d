import type { Refusal } from '../contract/verdict.ts';

/** The codespace of refusals that this library makes itself, so that their codes never meet the application's. */
const ownCodespace = 'mempool';

/** The nonce is below the one that the chain expects next. */
const nonceUsedCode = 1;
/** It was refused when its operation id was used first; why is not known any more. */
const refusedBeforeCode = 2;

export function nonceUsed(sender: string, nonce: bigint, chainNonce: bigint): Refusal {
  const log = `nonce ${nonce} of ${sender} is used: the chain expects ${chainNonce}`;
  return { code: nonceUsedCode, log, penalize: false, codespace: ownCodespace };
}

export const refusedBefore: Refusal = Object.freeze({
  code: refusedBeforeCode,
  log: 'refused when this operation id was used first',
  penalize: false,
  codespace: ownCodespace,
});
