import type { BlockEvent, MempoolEvent, StoreEvent, TransactionEvent } from 'mempool-core';
import { answered, decided, handed, type Mutant, withEvents } from './mutant.ts';
import type { PlantedDriver, WriteVerb } from './planted-driver.ts';

/** Puts the events of a call in another order, numbered anew. */
function ordered(id: string, order: (events: StoreEvent[], verb: WriteVerb) => StoreEvent[]): Mutant {
  return decided(id, () => (step, verb) => {
    const first = step.events[0]?.eventSeq ?? 1;
    const events = order([...step.events], verb).map((event, i) => ({ ...event, eventSeq: first + i }));
    return { ...step, events };
  });
}

function telling(id: string, alter: (event: TransactionEvent, pool: PlantedDriver) => TransactionEvent | null): Mutant {
  return decided(id, (pool) => (step) => withEvents(step, (event) => alter(event, pool)));
}

function tellingBlocks(id: string, alter: (event: BlockEvent, tick: number) => BlockEvent): Mutant {
  return decided(id, (pool) => (step) => ({
    ...step,
    events: step.events.map((event) => (event.kind === 'block' ? alter(event, pool.currentTip.tick) : event)),
  }));
}

function isBlock(event: StoreEvent): boolean {
  return event.kind === 'block';
}

function hashOrder(a: StoreEvent, b: StoreEvent): number {
  return a.kind === 'block' || b.kind === 'block' ? 0 : a.hash.localeCompare(b.hash);
}

const returnVerbs: readonly WriteVerb[] = ['release', 'confirm', 'rollback'];

/** E1 and E2. */
export const eventMutants: readonly Mutant[] = [
  handed('events-numbered-from-zero', (store) => ({
    subscribe: async (options) => changing(await store.subscribe(options), fromZero),
  })),
  ordered('block-comes-last', (events) => [...events.filter((event) => !isBlock(event)), ...events.filter(isBlock)]),
  ordered('events-by-hash', (events) => [
    ...events.filter(isBlock),
    ...events.filter((event) => !isBlock(event)).toSorted(hashOrder),
  ]),
  ordered('events-of-moves-backwards', (events, verb) =>
    verb === 'confirm' || verb === 'rollback' || verb === 'receive' ? events : events.toReversed(),
  ),
  ordered('undone-oldest-first', (events, verb) =>
    verb === 'rollback'
      ? [...events.filter(isBlock).toReversed(), ...events.filter((event) => !isBlock(event))]
      : events,
  ),
  ordered('received-newest-first', (events, verb) => (verb === 'receive' ? events.toReversed() : events)),
  ...returnVerbs.map((way) =>
    decided(
      `return-by-${way}-is-called-pending`,
      () => (step, verb) =>
        withEvents(step, (event) =>
          verb === way && event.stage === 'RolledBack' ? { ...event, stage: 'Pending' } : event,
        ),
    ),
  ),
  decided('jump-makes-two-events', (pool) => (step) => {
    const [first] = step.events;
    const events = step.events.flatMap((event): StoreEvent[] =>
      event.kind === 'transaction' && event.stage === 'Finalized' && event.previous.stage !== 'Confirmed'
        ? [{ ...event, stage: 'Confirmed' }, event]
        : [event],
    );
    return {
      ...step,
      events: events.map((event, i) => ({ ...event, eventSeq: (first?.eventSeq ?? pool.lastEventSeq + 1) + i })),
    };
  }),
  telling('jump-skips-its-stage-before', (event) =>
    event.stage === 'Finalized' ? { ...event, previous: { ...event.previous, stage: 'Confirmed' } } : event,
  ),
  telling('no-counters-before', (event) => ({
    ...event,
    previous: { stage: event.previous.stage, confirmations: 0, nonConfirmations: 0 },
  })),
  telling('no-counters-after', (event) => ({ ...event, confirmations: 0, nonConfirmations: 0 })),
  telling('finalized-at-the-tip', (event, pool) =>
    event.stage === 'Finalized' && event.previous.stage === 'Confirmed'
      ? { ...event, point: pool.currentTip.point }
      : event,
  ),
  telling('event-without-a-point', (event) => ({ ...event, point: null })),
  telling('event-without-a-reason', (event) => ({ ...event, reason: null })),
  telling('event-without-a-seq', (event) => ({ ...event, seq: 0 })),
  telling('drop-tells-a-point', (event, pool) =>
    event.stage === 'Dropped' ? { ...event, point: pool.currentTip.point } : event,
  ),
  telling('new-life-of-unknown-origin', (event) =>
    event.stage === 'Pending'
      ? { ...event, previous: { stage: 'Unknown', confirmations: 0, nonConfirmations: 0 } }
      : event,
  ),
  telling('revived-out-of-nothing', (event) =>
    event.previous.stage === 'Dropped' && event.stage === 'Confirmed'
      ? { ...event, previous: { stage: 'Unknown', confirmations: 0, nonConfirmations: 0 } }
      : event,
  ),
  telling('revival-not-announced', (event) =>
    event.previous.stage === 'Dropped' && event.stage === 'Confirmed' ? null : event,
  ),
  telling('acknowledgement-not-announced', (event) => (event.stage === 'Acknowledged' ? null : event)),
  telling('final-return-of-unknown-depth', (event) =>
    event.previous.stage === 'Finalized' ? { ...event, previous: { ...event.previous, confirmations: 0 } } : event,
  ),
  telling('depth-after-the-rollback', (event) =>
    event.stage === 'RolledBack' && event.previous.stage === 'Confirmed'
      ? { ...event, previous: { ...event.previous, confirmations: 1 } }
      : event,
  ),
  decided('depth-makes-events', (pool) => (step, verb) => {
    if (verb !== 'confirm' || step.events.length === 0) return step;
    const named = new Set(step.events.flatMap((event) => (event.kind === 'transaction' ? [event.hash] : [])));
    const deep = pool.peekInflight(0, 100).filter(({ hash, stage }) => stage === 'Confirmed' && !named.has(hash));
    const eventSeq = pool.lastEventSeq + step.events.length + 1;
    const made = deep.map(({ hash, seq, confirmedAt }, i): StoreEvent => {
      const none = { confirmations: 0, nonConfirmations: 0 };
      return {
        kind: 'transaction',
        eventSeq: eventSeq + i,
        hash,
        seq,
        stage: 'Confirmed',
        previous: { stage: 'Confirmed', ...none },
        ...none,
        point: confirmedAt,
        reason: null,
      };
    });
    return { ...step, events: [...step.events, ...made] };
  }),
  tellingBlocks('undone-tells-the-tick-of-the-target', (event) =>
    event.action === 'undone' ? { ...event, tick: event.tick - 1 } : event,
  ),
  tellingBlocks('block-tells-the-tick-before', (event, tick) =>
    event.action === 'applied' ? { ...event, tick } : event,
  ),
  decided('undone-in-one-event', () => (step) => {
    const first = step.events[0]?.eventSeq ?? 1;
    const events = step.events.filter((event, i) => i === 0 || event.kind !== 'block');
    return { ...step, events: events.map((event, i) => ({ ...event, eventSeq: first + i })) };
  }),
  answered('refused-block-makes-an-event', (pool) => ({
    confirm: (block, context) => {
      const outcome = pool.confirm(block, context);
      const { point } = block;
      const event = {
        kind: 'block',
        eventSeq: pool.lastEventSeq + 1,
        action: 'applied',
        point,
        tick: outcome.tip.tick,
      } as const;
      if (outcome.kind !== 'applied')
        pool.apply({ outcome, writes: [], events: [event], chain: null, operation: null });
      return outcome;
    },
  })),
  handed('late-arrival-in-two-events', (store) => ({
    subscribe: async (options) => changing(await store.subscribe(options), twice),
  })),
  answered('told-before-it-is-written', (pool) => {
    const lags = new Map<string, number>();
    return {
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => {
          const asked = lags.get(status.hash) ?? 0;
          lags.set(status.hash, asked + 1);
          return asked === 0 && status.stage !== 'Pending' ? { ...status, stage: 'Unknown' } : status;
        }),
    };
  }),
  answered('final-one-announced-again', (pool) => ({
    drop: (hashes, reason, context) => {
      const dropped = pool.drop(hashes, reason, context);
      const event = pool
        .readEvents(0, 1_000)
        .events.findLast((one) => one.kind === 'transaction' && hashes.includes(one.hash));
      if (dropped.length === 0 && event)
        pool.apply({
          outcome: null,
          writes: [],
          events: [{ ...event, eventSeq: pool.lastEventSeq + 1 }],
          chain: null,
          operation: null,
        });
      return dropped;
    },
  })),
];

/** Changes a stream, event by event. */
async function* changing(
  stream: AsyncIterable<MempoolEvent>,
  change: (event: MempoolEvent) => MempoolEvent[],
): AsyncGenerator<MempoolEvent> {
  for await (const event of stream) yield* change(event);
}

/** A received-as-Confirmed transaction as two events. */
function twice(event: MempoolEvent): MempoolEvent[] {
  const late = event.kind === 'transaction' && event.previous.stage === 'Unknown' && event.stage === 'Confirmed';
  return late ? [{ ...event, stage: 'Pending' }, event] : [event];
}

function fromZero(event: MempoolEvent): MempoolEvent[] {
  return event.kind === 'lagged' ? [event] : [{ ...event, eventSeq: event.eventSeq - 1 }];
}
