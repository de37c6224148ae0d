// A worker in a process of its own: `sender.ts <path> <ordering> <gate>`.
import { sqlite } from 'mempool-sqlite';
import { runWorker } from 'mempool-testkit';

const [path = '', ordering = '', gate = ''] = process.argv.slice(2);
const store = await sqlite.open({ path, ordering: ordering === 'priority' ? 'priority' : 'fifo' });
await runWorker(store, gate);
