import type { Refusal } from '../contract/verdict.ts';

/** The codespace of this library's own refusals. It keeps their codes apart from the application's codes. */
const ownCodespace = 'mempool';

/** The nonce is lower than the chain's next nonce. */
const nonceUsedCode = 1;
/** The transaction was refused when its operation id was first used. The original reason is not recorded. */
const refusedBeforeCode = 2;

/** Returns the refusal of a nonce that is lower than the chain's next nonce. */
export function nonceUsed(sender: string, nonce: bigint, chainNonce: bigint): Refusal {
  const log = `nonce ${nonce} of ${sender} is used: the chain expects ${chainNonce}`;
  return { code: nonceUsedCode, log, penalize: false, codespace: ownCodespace };
}

/** The refusal of a transaction that was refused when its operation id was first used. */
export const refusedBefore: Refusal = Object.freeze({
  code: refusedBeforeCode,
  log: 'refused when this operation id was first used',
  penalize: false,
  codespace: ownCodespace,
});
