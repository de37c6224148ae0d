/** The longest time of a timer. Node ends a longer one at once. */
const maxTimerMs = 2 ** 31 - 1;
const unitMs: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 };

/** Removes a deadline that is too far away for a timer: its client watches it too. */
export function dropFarDeadline(headers: Headers): void {
  const [, count = '', unit = ''] = /^(\d{1,8})([HMS])$/.exec(headers.get('grpc-timeout') ?? '') ?? [];
  if (Number(count) * (unitMs[unit] ?? 0) > maxTimerMs) headers.delete('grpc-timeout');
  const [ms = ''] = /^\d{1,10}$/.exec(headers.get('connect-timeout-ms') ?? '') ?? [];
  if (Number(ms) > maxTimerMs) headers.delete('connect-timeout-ms');
}
