export { compile } from './compile.ts';
export { type DevChain, type DevChainOptions, devChainId, startDevChain } from './dev-chain.ts';
export { type RecordedBlock, RecordedNode, recordBlocks } from './recorded-node.ts';
