export { type Belief, beliefsOf } from './failover/beliefs.ts';
export { holdersOf } from './failover/blocks.ts';
export { checkFailover, type FailoverRule, failoverRules, type Violation } from './failover/check.ts';
export * from './failover/record.ts';
export { type ChainWriter, FailoverRecorder, LeaseWitness, type LeaseWitnessParts } from './failover/recorder.ts';
