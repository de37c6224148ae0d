import type { Random } from 'mempool-testkit';

/** A copy in another order. */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const rest = [...list];
  return Array.from(list, () => rest.splice(random.below(rest.length), 1)[0] as T);
}
