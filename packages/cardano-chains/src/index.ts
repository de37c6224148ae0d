export { type Chain, openChain, readChain } from './chain.ts';
export { Random } from './random.ts';
export {
  emptySibling,
  encodeSyntheticChain,
  type SyntheticChainOptions,
  syntheticChain,
} from './synthetic-chain.ts';
