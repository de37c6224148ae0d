/** Limits that the environment may set, for runners that take no options. */
export interface Limits {
  /** How long one case may take. */
  readonly timeoutMs: number;
  /** How long ending a case may take before it counts as a fault of its own: closing stores, removing pools. */
  readonly endingMs: number;
  /** How many times as many kills, aborts and rounds of chance as usual. */
  readonly effort: number;
}

const variables: Readonly<Record<keyof Limits, readonly [name: string, fallback: number]>> = {
  timeoutMs: ['MEMPOOL_CONFORMANCE_TIMEOUT_MS', 30_000],
  endingMs: ['MEMPOOL_CONFORMANCE_ENDING_MS', 15_000],
  effort: ['MEMPOOL_CONFORMANCE_EFFORT', 1],
};

/** What a limit is where a caller gives none. @throws RangeError naming the variable that is no whole number of 1 and more */
export function limitOf(limit: keyof Limits): number {
  const [name, fallback] = variables[limit];
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`${name} must be a whole number of 1–999999999, not ${text}`);
  return Number(text);
}
