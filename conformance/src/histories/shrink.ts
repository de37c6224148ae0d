/** The longest a search may go on, in attempts. */
const maxAttempts = 400;

/** Returns a shorter list that still fails. Leaves out parts, first halves, then single items, as long as the rest still fails. */
export async function shortest<T>(
  items: readonly T[],
  fails: (items: readonly T[]) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<readonly T[]> {
  let kept = items;
  let attempts = 0;
  for (let piece = Math.ceil(kept.length / 2); piece >= 1 && attempts < maxAttempts; ) {
    const before = kept.length;
    for (let at = 0; at < kept.length && attempts < maxAttempts && !signal?.aborted; attempts++) {
      const rest = kept.toSpliced(at, piece);
      if (await fails(rest)) kept = rest;
      else at += piece;
    }
    if (piece === 1 && kept.length === before) break;
    piece = piece === 1 ? 1 : Math.ceil(piece / 2);
    if (signal?.aborted) break;
  }
  return kept;
}
