import { type Answer, account, type Validate } from 'mempool-core';
import type { Chain } from './chain.ts';
import { decodeTransfer, type Transfer } from './transfer.ts';

/** An own code of this application; 0 would say that all is well. */
const cannotPay = 5;

/** Judges transfers. The verdict has the sender, the nonce and the price per gas; a transfer without cover is refused. */
export function validator(chain: Chain): Validate {
  return ({ payload }) => answer(chain, decodeTransfer(payload));
}

function answer(chain: Chain, { sender, nonce, fee, gas }: Transfer): Answer {
  if (fee > chain.balance(sender)) return { code: cannotPay, log: `${sender} cannot pay ${fee}`, penalize: false };
  const priority = (1_000n * BigInt(fee)) / BigInt(gas);
  return account(sender, nonce, chain.nextNonce(sender), { priority, gas });
}
