// Prints what this process takes for the time of leases.
import { hostClock } from '../../src/election/lease-clock.ts';

const { id, nowMs } = hostClock();
console.log(JSON.stringify({ id, nowMs: nowMs() }));
