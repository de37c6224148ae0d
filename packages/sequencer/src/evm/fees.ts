/** The price of a transaction for a unit of gas, in wei, as decimal text. */
export interface Fees {
  /** At most to whoever makes the block. */
  readonly tip: string;
  /** At most in all. */
  readonly cap: string;
}

/** The price of a new transaction. The base fee may double before it is too little. */
export function startingFees(baseFee: bigint, tip: bigint): Fees {
  return { tip: String(tip), cap: String(2n * baseFee + tip) };
}

/** The price of its replacement: both parts at least an eighth more, as nodes demand, and at least the price of a new one. */
export function raised(before: Fees, market: Fees): Fees {
  return { tip: higher(before.tip, market.tip), cap: higher(before.cap, market.cap) };
}

function higher(before: string, market: string): string {
  const bumped = (BigInt(before) * 9n + 7n) / 8n + 1n;
  const wanted = BigInt(market);
  return String(bumped > wanted ? bumped : wanted);
}
