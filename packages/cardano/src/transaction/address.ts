import { bytesToHex } from '@noble/hashes/utils.js';
import { base58, bech32 } from '@scure/base';

const mainnet = 1;
const byron = 8;
const lastPayment = 7;
const stakeKinds = [14, 15];
/** A known address takes less than 100 bytes. To write a number of n bytes in base 58 takes n² steps. */
const longest = 128;

/** An address as people write it (CIP-19): bech32, or base58 for one of the Byron era. Hex if it is of no known kind. */
export function writtenAddress(address: Uint8Array): string {
  const [header] = address;
  if (header === undefined || address.length > longest) return bytesToHex(address);
  const kind = header >> 4;
  if (kind === byron) return base58.encode(address);
  if (kind <= lastPayment) return inBech32('addr', header, address);
  return stakeKinds.includes(kind) ? inBech32('stake', header, address) : bytesToHex(address);
}

function inBech32(prefix: string, header: number, address: Uint8Array): string {
  const network = (header & 0x0f) === mainnet ? '' : '_test';
  return bech32.encode(`${prefix}${network}`, bech32.toWords(address), false);
}
