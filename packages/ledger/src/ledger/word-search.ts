import { badArgument } from '../contract/errors.ts';
import type { Wallet } from '../contract/wallet.ts';

/**
 * Returns a test for wallets: every word of the text must begin a word of the wallet's id, owner or tags, in any case. A word is a
 * sequence of letters and digits. @throws `ERR_LEDGER_ARGUMENT` for a text without a word
 */
export function wordSearch(text: string): (wallet: Wallet) => boolean {
  const sought = wordsOf(text);
  if (sought.length === 0) throw badArgument('words', 'a text with a letter or a digit');
  return ({ id, owner, tags }) => {
    const words = [id, owner, ...tags].flatMap(wordsOf);
    return sought.every((begin) => words.some((word) => word.startsWith(begin)));
  };
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
