export { compile } from './compile.ts';
export { type DevChain, type DevChainOptions, devChainId, startDevChain } from './dev-chain.ts';
export { keepSending, type SendingOptions } from './keep-sending.ts';
export { type RecordedBlock, RecordedNode, recordBlocks } from './recorded-node.ts';
export { RpcFailure, rpcCall } from './rpc.ts';
