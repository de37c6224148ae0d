// Takes once, and acts under its claim when it is told to.
import type { Ordering } from 'mempool-core';
import { redis } from 'mempool-redis';
import { work } from '../../../../conformance/test/worker.ts';

const [url = '', pool = '', ordering = '', owner = '', claimMs = ''] = process.argv.slice(2);
const options = { url, pool, ordering: ordering as Ordering, timeoutMs: 30_000 };
await work(await redis.open(options), owner, Number(claimMs));
