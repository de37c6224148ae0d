// A worker in a process of its own: `sender.ts <url> <pool> <ordering> <gate>`.
import { redis } from 'mempool-redis';
import { runWorker } from 'mempool-testkit';

const [url = '', pool = '', ordering = '', gate = ''] = process.argv.slice(2);
const store = await redis.open({ url, pool, ordering: ordering === 'priority' ? 'priority' : 'fifo' });
await runWorker(store, gate);
