import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** What leases in a file are timed by. */
export interface LeaseClock {
  /** Says from when `nowMs` counts; `null` where that is not known. Times of another clock, or of an unknown one, say nothing. */
  readonly id: string | null;
  nowMs(): number;
}

/** The host's monotonic clock: on Linux the same for all processes of one boot and time namespace. */
export function hostClock(): LeaseClock {
  return { id: hostClockId(), nowMs: () => Number(process.hrtime.bigint() / 1_000_000n) };
}

const timeNamespace = '/proc/self/ns/time';

function hostClockId(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // Kernels before 5.6 have the one time for all.
    return `${boot} ${existsSync(timeNamespace) ? readlinkSync(timeNamespace) : 'time'}`;
  } catch {
    return null;
  }
}
