const spinMs = 300;

/**
 * How many times longer than alone a program takes on this machine now: the time that passes for a fixed amount of
 * processor time. 1 on a machine that does nothing else.
 */
export function slowdown(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < spinMs) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
  return Math.max(1, (performance.now() - startedAt) / usedMs);
}
