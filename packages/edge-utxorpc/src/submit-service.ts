import type { ServiceImpl } from '@connectrpc/connect';
import { type ExtensionParts, Problem } from 'mempool-server/edge';
import { changes } from './changes.ts';
import { hashesOf, maxRefs, refOf, tooMany } from './refs.ts';
import { rpcCall } from './rpc-call.ts';
import { RpcMethods } from './rpc-methods.ts';
import { Snapshots } from './snapshot.ts';
import { submit, type submitConnect } from './spec.ts';
import { type StageNews, StageWatches } from './stage-watches.ts';
import { rpcStages } from './stages.ts';
import { submitAll } from './submission.ts';

/** UTxO RPC's service for submitting, on the parts of a server. */
export function submitService(parts: ExtensionParts): ServiceImpl<typeof submitConnect.SubmitService> {
  const { pool, gate, hub } = parts;
  const methods = new RpcMethods(gate);
  const watches = new StageWatches(pool, hub);
  const snapshots = new Snapshots(pool);
  return {
    submitTx: methods.unary(async ({ tx }: submit.SubmitTxRequest, { values }) => {
      if (tx.length > maxRefs) throw tooMany('tx');
      if (tx.length > 1) values.get(rpcCall).owe(tx.length - 1);
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
    readMempool: methods.unary(async (_request: submit.ReadMempoolRequest, { values }) => {
      return new submit.ReadMempoolResponse({ items: await snapshots.read(values.get(rpcCall).closed) });
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

/**
 * Yields the stage of each transaction, and each change of it, until all are Finalized or Dropped. A fork may return a
 * transaction to the pool, so CONFIRMED is not the end. A transaction that the pool does not know may still arrive.
 * @param news the stream of `StageWatches.watch`
 * @throws the errors of `news`
 */
async function* waited(
  news: AsyncIterable<StageNews>,
  hashes: ReadonlySet<string>,
): AsyncGenerator<submit.WaitForTxResponse, void> {
  const open = new Set(hashes);
  const told = new Map<string, submit.Stage>();
  if (open.size === 0) return;
  for await (const { hash, stage } of news) {
    if (stage === 'Unknown') continue;
    const rpcStage = rpcStages[stage];
    if (told.get(hash) !== rpcStage) yield new submit.WaitForTxResponse({ ref: refOf(hash), stage: rpcStage });
    told.set(hash, rpcStage);
    if (stage === 'Finalized' || stage === 'Dropped') open.delete(hash);
    if (open.size === 0) return;
  }
}

/**
 * Checks that a predicate matches every transaction, as the SDK's empty Cardano pattern does. Other predicates need the
 * outputs that a transaction spends, which only a node has.
 * @throws `Problem` 501
 */
function expectMatchAll(predicate: submit.TxPredicate | undefined): void {
  if (predicate === undefined) return;
  const { match, not, allOf, anyOf } = predicate;
  const isEmpty = not.length + allOf.length + anyOf.length === 0 && isEmptyPattern(match?.chain.value);
  if (isEmpty) return;
  const detail = 'The server cannot evaluate predicates. Send none, and select the transactions yourself.';
  throw new Problem(501, 'ERR_MEMPOOL_UNSUPPORTED', { detail });
}

function isEmptyPattern(pattern: { toBinary(): Uint8Array } | undefined): boolean {
  return pattern === undefined || pattern.toBinary().length === 0;
}
