import { randomUUID } from 'node:crypto';
import {
  type Backend,
  confirmStep,
  defaultRetention,
  defineBackend,
  dropStep,
  Ledger,
  moveStep,
  receiveStep,
  recorded,
  rollbackStep,
  type Step,
  type StoreDriver,
  type WriteContext,
} from 'mempool-core';

export const scratch: Backend = defineBackend({
  name: 'scratch',
  capabilities: { durable: false, shared: false },
  open({ thresholds, retention }): StoreDriver {
    const ledger = new Ledger(randomUUID(), { ...defaultRetention, ...retention });

    // One atomic step: a repeat is answered from the record; else plan, then write all of it at once.
    function write<Outcome>(verb: string, { operationId }: WriteContext, plan: () => Step<Outcome>): Outcome {
      const known = ledger.findOperation<Outcome>(verb, operationId);
      if (known !== null) return known.outcome;
      const step = recorded(plan(), verb, operationId);
      ledger.apply(step);
      return step.outcome;
    }

    return {
      receive: (transactions, to) => write('receive', to, () => receiveStep(ledger, transactions, thresholds)),
      move: (verb, hashes, to) => write(verb, to, () => moveStep(ledger, verb, hashes)),
      drop: (hashes, reason, to) => write('drop', to, () => dropStep(ledger, hashes, reason)),
      confirm: (block, to) => write('confirm', to, () => confirmStep(ledger, block)),
      rollback: (point, to) => write('rollback', to, () => rollbackStep(ledger, point)),
      peekPending: (after, limit) => ledger.peekPending(after, limit),
      peekInflight: (after, limit) => ledger.peekInflight(after, limit),
      findInflight: (hashes) => ledger.findInflight(hashes),
      checkStatus: (hashes) => ledger.checkStatus(hashes),
      dumpFinalized: (cursor, limit) => ledger.dumpFinalized(cursor, limit),
      tip: (points) => ledger.tip(points),
      usage: () => ledger.usage(),
      readEvents: (after, limit) => ledger.readEvents(after, limit),
      onEvents: (listener) => ledger.onEvents(listener),
      close: () => undefined,
    };
  },
});
