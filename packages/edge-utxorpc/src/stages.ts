import type { KnownStage } from 'mempool-core';
import { submit } from './spec.ts';

const { Stage: RpcStage } = submit;

/** The stages of UTxO RPC, by stage of the pool. The mapping is that of Dolos. A dropped transaction has none. */
export const rpcStages: Readonly<Record<KnownStage, submit.Stage>> = {
  Pending: RpcStage.MEMPOOL,
  Propagated: RpcStage.NETWORK,
  Acknowledged: RpcStage.ACKNOWLEDGED,
  Confirmed: RpcStage.CONFIRMED,
  Finalized: RpcStage.CONFIRMED,
  Dropped: RpcStage.UNSPECIFIED,
};
