import { openMempool } from 'mempool-core';
import { ephemeral } from 'mempool-ephemeral';

await using mempool = await openMempool({ backend: 'ephemeral' }, { ephemeral });
console.log(await mempool.hasPending());
