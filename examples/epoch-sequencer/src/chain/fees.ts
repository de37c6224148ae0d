/** What a transaction pays for a unit of gas, in wei, as decimal text. */
export interface Fees {
  /** At most to whoever makes the block. */
  readonly tip: string;
  /** At most in all. */
  readonly cap: string;
}

/** What a new transaction pays. The base fee may double before it is too little. */
export function startingFees(baseFee: bigint, tip: bigint): Fees {
  return { tip: String(tip), cap: String(2n * baseFee + tip) };
}

/** What its replacement pays: both at least an eighth more, as nodes demand, and at least what a new one would. */
export function raised(before: Fees, market: Fees): Fees {
  return { tip: higher(before.tip, market.tip), cap: higher(before.cap, market.cap) };
}

function higher(before: string, market: string): string {
  const bumped = (BigInt(before) * 9n + 7n) / 8n + 1n;
  const wanted = BigInt(market);
  return String(bumped > wanted ? bumped : wanted);
}
