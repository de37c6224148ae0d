// A program of its own: it leaves its pool open, and ends all the same.
import { ephemeral } from 'mempool-ephemeral';

await ephemeral.open({ ordering: 'priority', sweepEveryMs: 3_600_000 });
process.stdout.write('open\n');
