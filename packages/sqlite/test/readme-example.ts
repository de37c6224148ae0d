import { openMempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';

await using mempool = await openMempool({ backend: 'sqlite', path: 'mempool.db' }, { sqlite });
console.log(await mempool.hasPending());
