// A worker in a process of its own: `sender.ts <path> <backend> <ordering> <gate>`.
import { Mempool } from 'mempool-core';
import { runWorker } from 'mempool-testkit';
import { backendNamed } from '../kinds.ts';

const [path = '', backend = '', ordering = '', gate = ''] = process.argv.slice(2);
const store = await backendNamed(backend).open({ path, ordering: ordering === 'priority' ? 'priority' : 'fifo' });
await runWorker(new Mempool(store), gate);
