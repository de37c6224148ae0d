import type { Transaction } from 'mempool-core';

const maxHashDigits = 128;
const maxPayloadBytes = 1 << 20;

/** What no store can leave out before it takes a transaction in: the form of its hash, by length and by code, and the size of its payload. */
export function isAdmissible({ hash, payload }: Transaction): boolean {
  return payload.length <= maxPayloadBytes && hash.length <= maxHashDigits && isLowerCaseHex(hash);
}

/** Without a branch for each digit: a code that is neither of `0–9` nor of `a–f` leaves the sign bit. */
function isLowerCaseHex(text: string): boolean {
  let signs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    signs |= ((code - 48) | (57 - code)) & ((code - 97) | (102 - code));
  }
  return signs >= 0;
}
