import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/** The clock for leases in a file. */
export interface LeaseClock {
  /** Identifies the clock; `null` if that is unknown. Times of different or unknown clocks cannot be compared. */
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
    // Kernels before 5.6 have no time namespaces.
    return `${boot} ${existsSync(timeNamespace) ? readlinkSync(timeNamespace) : 'time'}`;
  } catch {
    return null;
  }
}
