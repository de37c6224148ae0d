/** One of several passes over everything: processes of their own, whose rounds are put together. */
export interface PassOf {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** What a pass has of `total` rounds: the passes share them as evenly as they can. */
export function shareOf(total: number, { index, count }: PassOf): number {
  return Math.floor((total + count - 1 - index) / count);
}
