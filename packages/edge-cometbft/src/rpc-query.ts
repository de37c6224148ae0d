import { invalidParams } from './rpc-fault.ts';

const condition = /^\s*([a-z.]+)\s*=\s*'([^']*)'\s*$/;

/** Returns the hash that a query asks for: `tx.hash='…'`, also with `tm.event='Tx'`. @throws `RpcFault` −32602 for any other */
export function hashOfQuery(query: string): string {
  const { 'tx.hash': hash = '', 'tm.event': event = 'Tx', ...others } = conditionsOf(query);
  if (!/^[0-9a-f]{64}$/i.test(hash) || event !== 'Tx' || Object.keys(others).length > 0) throw wrongQuery();
  return hash.toLowerCase();
}

function conditionsOf(query: string): Readonly<Record<string, string>> {
  const pairs = query.split(' AND ').map((part) => {
    const [, key, value] = condition.exec(part) ?? [];
    if (key === undefined || value === undefined) throw wrongQuery();
    return [key, value] as const;
  });
  return Object.fromEntries(pairs);
}

function wrongQuery(): Error {
  return invalidParams(
    "a mempool without an index answers only tx.hash='<64 hex digits>', also with tm.event='Tx' AND",
  );
}
