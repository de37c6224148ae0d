/** Limits that the environment may set, for runners that take no options. */
export interface Limits {
  /** How long one case may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How long the end of a case may take (closing stores, removing pools), in milliseconds, before it counts as a separate fault. */
  readonly endingMs: number;
  /** Factor for the number of kills, aborts and random rounds. */
  readonly effort: number;
}

const variables: Readonly<Record<keyof Limits, readonly [name: string, fallback: number]>> = {
  timeoutMs: ['MEMPOOL_CONFORMANCE_TIMEOUT_MS', 30_000],
  endingMs: ['MEMPOOL_CONFORMANCE_ENDING_MS', 15_000],
  effort: ['MEMPOOL_CONFORMANCE_EFFORT', 1],
};

/** Returns the default of a limit, from its environment variable if set. @throws RangeError naming a variable with a wrong value */
export function limitOf(limit: keyof Limits): number {
  const [name, fallback] = variables[limit];
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RangeError(`${name} must be a whole number of 1–999999999, not ${text}`);
  return Number(text);
}
