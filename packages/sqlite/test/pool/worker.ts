// Takes once, and acts under its claim when it is told to.
import type { Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { work } from '../../../../conformance/test/worker.ts';

const [path = '', ordering = '', owner = '', claimMs = ''] = process.argv.slice(2);
await work(await sqlite.open({ path, ordering: ordering as Ordering, timeoutMs: 30_000 }), owner, Number(claimMs));
