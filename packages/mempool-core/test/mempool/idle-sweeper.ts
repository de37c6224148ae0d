// A program of its own: it leaves its pool open, and ends all the same.
import { Mempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

new Mempool(await ephemeral.open({ ordering: 'priority' }), { sweepEveryMs: 3_600_000 });
process.stdout.write('open\n');
