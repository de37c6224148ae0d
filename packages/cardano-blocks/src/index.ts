export type { ChainBlock } from './block.ts';
export { arrayItems, mapEntries, readBytes, readUnsigned } from './cbor-walker.ts';
export { type Chain, openChain, readChain } from './chain.ts';
export { ChainFileError } from './chain-file-error.ts';
export {
  emptySibling,
  encodeSyntheticChain,
  type SyntheticChainOptions,
  syntheticChain,
} from './synthetic-chain.ts';
