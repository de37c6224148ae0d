import type { BlockTransaction } from './block-transactions.ts';

/** The result of a check or of an execution. There is no application, so all pass and use no gas. */
export const passed: object = {
  ...{ code: 0, data: null, log: '', info: '', gas_wanted: '0', gas_used: '0', events: [], codespace: '' },
};

/** Returns a transaction of a block as `tx` and `tx_search` have it. The pool does not know its place in the block. */
export function txAnswer(found: BlockTransaction): object {
  const { height, tx } = placeOf(found);
  return { hash: found.hash.toUpperCase(), height, index: 0, tx_result: passed, tx };
}

/** Returns the event of a transaction that a block has. */
export function txEvent(query: string, found: BlockTransaction): object {
  const { height, tx } = placeOf(found);
  const value = { TxResult: { height, index: 0, tx, result: passed } };
  const events = { 'tm.event': ['Tx'], 'tx.hash': [found.hash.toUpperCase()], 'tx.height': [height] };
  return { query, data: { type: 'tendermint/event/Tx', value }, events };
}

function placeOf({ bytes, point }: BlockTransaction): { readonly height: string; readonly tx: string } {
  return { height: String(point.slot), tx: Buffer.from(bytes).toString('base64') };
}
