/** The most projects of one part. */
export const partProjects = 20;

/** Cuts a sorted list into parts, in order. */
export function partsOf<T>(projects: readonly T[], size: number = partProjects): T[][] {
  const count = Math.ceil(projects.length / size);
  return Array.from({ length: count }, (_, i) => projects.slice(i * size, (i + 1) * size));
}
