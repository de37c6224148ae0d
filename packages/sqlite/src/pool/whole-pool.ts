import type { PoolDump, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { type LoadedFile, loadPool } from './loader.ts';
import type { PoolFile } from './pool-file.ts';
import { RecordTable } from './record-table.ts';
import { decodeState, type PoolState, readBody } from './records.ts';

// The whole pool of a file in memory, for `dump` (D3). All of it runs inside one transaction.

/** Returns the file with reads that fail on damage, because a dump replaces nothing. @throws `ERR_MEMPOOL_CORRUPT` from these reads */
export function strictly(file: PoolFile): LoadedFile {
  return {
    rows: (...query) => file.rows(...query),
    reportDamage(key) {
      throw core.corrupt(key);
    },
  };
}

/** The dump of a fifo pool. @throws `ERR_MEMPOOL_CORRUPT` */
export function dumpFifo(file: PoolFile, claims: (state: PoolState) => core.FifoRecord | null): PoolDump {
  file.execute('fifo/no-entries.sql');
  file.include('pool/load-statements.sql');
  const state = decodeState(file.row('pool'));
  const pool = core.wholePool('fifo');
  for (const record of loadPool(strictly(file), state, null)) pool.restore(record);
  const fifo = claims(state);
  if (fifo !== null) pool.memory.fifo.restore(fifo);
  addRecords(pool, file);
  return core.fifoDump(pool.memory, bodiesOf(file, pool.memory));
}

/** Adds the application's records to a pool in memory. @throws `ERR_MEMPOOL_CORRUPT` if one is damaged */
export function addRecords<Pool extends Pick<core.WholePool, 'restore'>>(pool: Pool, file: PoolFile): Pool {
  const table = new RecordTable(file);
  for (const record of table.all()) pool.restore({ kind: 'record', record });
  const { lastVersion } = table.totals();
  if (lastVersion > 0) pool.restore({ kind: 'version', lastVersion });
  return pool;
}

/** Returns a function that reads the payload of a transaction, whose seq is in `view`. @throws `ERR_MEMPOOL_CORRUPT` */
export function bodiesOf(file: PoolFile, view: Pick<core.PoolView, 'txState'>): (body: Transaction) => Transaction {
  return ({ hash }) => {
    const seq = view.txState(hash)?.seq ?? 0;
    const { isIntact, ...body } = readBody(hash, file.row('transactionBody', seq));
    if (!isIntact) throw core.corrupt({ hash, seq });
    return { hash, ...body };
  };
}
