// The entry `mempool-sequencer/evm`: keys, and the epochs on an Ethereum chain. It needs the packages viem and secp256k1.
export {
  abi,
  type ContractEvent,
  type Deployed,
  EpochContract,
  type Release,
  releaseEpoch,
  type SignedRoot,
} from './contract.ts';
export { EpochRelayer, type EpochRelayerOptions, type RelayedEpochs } from './epoch-relayer.ts';
export { type Fees, raised, startingFees } from './fees.ts';
export { type FollowOptions, followEpochs } from './follow-epochs.ts';
export { openRelayPool, type RelayPoolOptions } from './relay-pool.ts';
export { RelayRecords } from './relay-records.ts';
export { type Signer, signerOf, verifyBy } from './signer.ts';
export { domainOf, type SubmissionDomain, signSubmission, slotVerifier } from './submission-signature.ts';
