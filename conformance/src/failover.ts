export { type Belief, beliefsOf } from './failover-beliefs.ts';
export { checkFailover, type FailoverRule, failoverRules, type Violation } from './failover-check.ts';
export { holdersOf } from './failover-holders.ts';
export * from './failover-record.ts';
export { type ChainWriter, FailoverRecorder } from './failover-recorder.ts';
export { LeaseWitness, type LeaseWitnessParts } from './failover-witness.ts';
