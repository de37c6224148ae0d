import type { ServiceImpl } from '@connectrpc/connect';
import type { SharedParts } from '../../http/http-server.ts';
import { Problem } from '../../http/problem.ts';
import { Slots } from '../../http/slots.ts';
import { changes } from './changes.ts';
import { expectMatchAll } from './predicate.ts';
import { hashesOf, maxRefs, refOf, tooMany } from './refs.ts';
import { rpcCall } from './rpc-call.ts';
import { RpcMethods } from './rpc-methods.ts';
import { snapshot } from './snapshot.ts';
import { submit, type submitConnect } from './spec.ts';
import { StageWatches } from './stage-watches.ts';
import { submitAll } from './submission.ts';
import { waited } from './waiting.ts';

/** Each takes the memory of a whole answer. */
const maxSnapshots = 4;

/** UTxO RPC's service for submitting, on the parts of a server. */
export function submitService(parts: SharedParts): ServiceImpl<typeof submitConnect.SubmitService> {
  const { pool, gate, hub } = parts;
  const methods = new RpcMethods(gate);
  const watches = new StageWatches(pool, hub);
  const snapshots = new Slots(maxSnapshots, 'snapshots of the pool may be read');
  return {
    submitTx: methods.unary(async ({ tx }: submit.SubmitTxRequest) => {
      if (tx.length > maxRefs) throw tooMany('tx');
      const payloads = tx.map(({ type }) => type.value ?? new Uint8Array());
      return new submit.SubmitTxResponse({ ref: (await submitAll(pool, payloads)).map(refOf) });
    }),
    evalTx: methods.unary(async (_request: submit.EvalTxRequest): Promise<submit.EvalTxResponse> => {
      throw new Problem(501, 'ERR_MEMPOOL_UNSUPPORTED', { detail: 'The server runs no scripts.' });
    }),
    waitForTx: methods.streaming(
      () => gate.waits.hold(),
      ({ ref }: submit.WaitForTxRequest, { signal, values }) => {
        const hashes = hashesOf(ref);
        const ending = AbortSignal.any([signal, gate.stopping]);
        return waited(watches.watch(hashes, ending, values.get(rpcCall).cut), hashes);
      },
    ),
    readMempool: methods.unary(async (_request: submit.ReadMempoolRequest) => {
      const release = snapshots.take();
      try {
        return new submit.ReadMempoolResponse({ items: await snapshot(pool) });
      } finally {
        release();
      }
    }),
    watchMempool: methods.streaming(
      () => gate.holdStream(),
      ({ predicate }: submit.WatchMempoolRequest, context) => {
        expectMatchAll(predicate);
        return changes(parts, context);
      },
    ),
  };
}
