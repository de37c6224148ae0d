import { expect, it } from 'vitest';
import type { MempoolEvent } from '../../src/contract/events.ts';
import type { MempoolStore } from '../../src/contract/store.ts';
import type { Stage, TransactionStatus } from '../../src/contract/transaction.ts';
import { Waiters } from '../../src/mempool/waiters.ts';
import { rest } from './tap.ts';

const hash = 'ab';
const status = (stage: Stage): TransactionStatus => ({
  hash,
  stage,
  confirmations: 0,
  nonConfirmations: 0,
  confirmedAt: null,
  reason: null,
  notBefore: null,
  receivedAt: null,
  attempts: 0,
});
const cursor = 'e5.pool';
const confirmed: MempoolEvent = {
  cursor,
  kind: 'transaction',
  eventSeq: 5,
  at: 1,
  hash,
  seq: 1,
  stage: 'Confirmed',
  cause: 'seen',
  previous: { stage: 'Pending', confirmations: 0, nonConfirmations: 0 },
  confirmations: 1,
  nonConfirmations: 0,
  point: { slot: 1, hash: '1'.repeat(64) },
  reason: null,
  attempts: 0,
  receivedAt: null,
};

/** What waiters ask of a store: looks are answered when the test says so, and events come from it. */
class Script {
  readonly looks: PromiseWithResolvers<TransactionStatus[]>[] = [];
  readonly #events: MempoolEvent[] = [];
  #wake: () => void = () => undefined;
  lastEventSeq = 0;

  get store(): MempoolStore {
    const asked: Partial<Record<keyof MempoolStore, unknown>> = {
      subscribe: async () => this.#stream(),
      usage: async () => ({ lastEventSeq: this.lastEventSeq }),
      tip: async () => ({ point: null, tick: 0, points: [] }),
      checkStatus: () => {
        const look = Promise.withResolvers<TransactionStatus[]>();
        this.looks.push(look);
        return look.promise;
      },
    };
    return asked as unknown as MempoolStore;
  }

  tell(event: MempoolEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  async answerLook(number: number): Promise<void> {
    while (this.looks.length < number) await new Promise(setImmediate);
    this.looks[number - 1]?.resolve([status('Pending')]);
    await rest();
  }

  async *#stream(): AsyncGenerator<MempoolEvent> {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

it('a look begun before the store went back in time does not hide the events of the new one (R3)', async () => {
  const script = new Script();
  script.lastEventSeq = 100;
  const waiting = new Waiters(script.store).wait(hash, { stage: 'Confirmed', confirmations: 0 }, undefined);
  while (script.looks.length === 0) await new Promise(setImmediate);
  script.lastEventSeq = 0;
  script.tell({ kind: 'lagged', missed: 0, restarted: false, cursor });
  await rest();
  await script.answerLook(1);
  await script.answerLook(2);
  script.tell(confirmed);
  const told = await Promise.race([waiting.then(({ status }) => status.stage), rest().then(() => 'not told')]);
  expect(told).toBe('Confirmed');
});
