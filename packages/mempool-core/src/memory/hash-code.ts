import { randomFillSync } from 'node:crypto';

const mostDigits = 128;
const bytes: Buffer = Buffer.alloc(mostDigits);
const words: Int32Array = new Int32Array(bytes.buffer, bytes.byteOffset, mostDigits / 4);
/** Random and odd: whoever chooses hashes cannot know which of them come to one place. Two for each word, and one for the rest. */
const factors: Int32Array = randomFillSync(new Int32Array(2 * words.length + 1)).map((factor) => factor | 1);

/**
 * A code of 32 bits. Of two different hashes, its upper 16 bits are equal as seldom as of random numbers: that is multilinear
 * hashing, which needs a factor twice as long as what it multiplies. With one factor for a whole word, hashes that differ in the
 * last digits of words only would have a few codes. Words are read instead of characters, of which each costs as much as a word.
 */
export function codeOf(hash: string): number {
  const length = bytes.write(hash, 0, mostDigits, 'latin1');
  const whole = length >> 2;
  let code = length;
  for (let i = 0; i < whole; i++) {
    const word = words[i] as number;
    const lower = Math.imul(word & 0xffff, factors[2 * i] as number);
    code = (code + lower + Math.imul(word >>> 16, factors[2 * i + 1] as number)) | 0;
  }
  let rest = 0;
  for (let i = 4 * whole; i < length; i++) rest = (rest << 8) | (bytes[i] as number);
  return (code + Math.imul(rest, factors[2 * whole] as number)) | 0;
}
