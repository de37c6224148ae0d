import type { StoreEvent, TransactionEvent } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { parentsOf, unmetOf } from './priority-places.ts';
import { lentTags, placing, ranking, seeing, settling } from './priority-pool.ts';

const anyStage = ['Propagated', 'Acknowledged', 'Confirmed'] as const;
type AnyStage = (typeof anyStage)[number];

/** A tag that one in this stage provides is not met by it. */
function unmetBy(stage: AnyStage): Mutant {
  return placing(`tags-not-met-by-${stage.toLowerCase()}`, (place, { verdict }, index) => {
    const isOf = (tag: string) => [...index.providers.of(tag)].some((provider) => provider.stage === stage);
    return verdict.requires.some(isOf) ? { ...place, ready: false } : place;
  });
}

/** One that looks ready to the rules, whatever it is. */
function lentReady(index: PoolIndex, isReady: (node: PoolNode) => boolean): Partial<PoolIndex> {
  return {
    node: (hash) => {
      const node = index.node(hash);
      return node?.place ? { ...node, place: { ...node.place, ready: isReady(node) } } : node;
    },
    move: (node, ...rest) => index.move(index.node(node.hash) ?? node, ...rest),
  };
}

/** An event as if this one had moved, behind those of the call. */
function toldOf({ entry, stage }: PoolNode, events: readonly StoreEvent[], lastEventSeq: number): TransactionEvent {
  const none = { confirmations: 0, nonConfirmations: 0 };
  return {
    kind: 'transaction',
    eventSeq: lastEventSeq + events.length + 1,
    hash: entry.hash,
    seq: entry.seq,
    stage,
    previous: { stage, ...none },
    point: null,
    reason: null,
    ...none,
  };
}

/** Drops, or gives back, what is in flight and waits for what the call moved. */
function childrenIn(index: PoolIndex, hashes: readonly string[]): string[] {
  const tags = hashes.flatMap((hash) => index.node(hash)?.entry.verdict.provides ?? []);
  const children = tags.flatMap((tag) => [...index.dependents.of(tag)]);
  return children.filter(({ stage }) => stage === 'Propagated').map(({ hash }) => hash);
}

/** P2. */
export const parkingMutants: readonly Mutant[] = [
  ...anyStage.map(unmetBy),
  seeing('tags-not-met-by-pending-for-those-that-come', ['admit'], ({ given, index }) => {
    const requires = new Set((given[0] as readonly CheckedSubmission[]).flatMap(({ verdict }) => verdict.requires));
    const isHidden = (tag: string, { stage }: PoolNode) => requires.has(tag) && stage === 'Pending';
    const of = (tag: string) => new Set([...index.providers.of(tag)].filter((node) => !isHidden(tag, node)));
    return { providers: lentTags(of) };
  }),
  placing('child-of-a-parked-one-ready', (place, { verdict }, index) => ({
    ...place,
    ready: unmetOf(index, verdict.requires).every((tag) => index.providers.of(tag).size > 0),
  })),
  placing('one-parent-makes-ready', (place, entry, index) => ({
    ...place,
    ready: place.ready || parentsOf(index, entry).some((parent) => parent.place?.ready === true),
  })),
  ranking('parked-not-told', (driver) => ({
    admit: async (...given) =>
      (await driver.admit(...given)).map((outcome) => {
        if (outcome.kind !== 'received') return outcome;
        const { parked: _, ...rest } = outcome;
        return rest;
      }),
  })),
  ranking('parked-reaped', (driver, { index }) => ({
    reap: async (budget, context) => {
      const parked = Array.from(index.parked, ({ hash, entry }) => ({
        ...{ hash, seq: entry.seq, bytes: entry.bytes },
        ...{ gas: entry.verdict.gas, priority: entry.verdict.priority },
      }));
      return [...(await driver.reap(budget, context)), ...parked].slice(0, budget.maxTxs);
    },
  })),
  seeing('parked-marked', ['move'], ({ index }) => lentReady(index, () => true)),
  seeing('only-roots-marked', ['move'], ({ index }) => lentReady(index, ({ place }) => place?.depth === 0)),
  seeing('parked-taken', ['take'], ({ index }) => ({
    order: {
      walk: (visit) => index.order.walk((standing, node) => visit({ ...standing, isReady: true }, node)),
    } as PoolIndex['order'],
  })),
  ranking('parked-listed-by-price', (driver, { index }) => ({
    peekParked: async (...given) => {
      const price = (hash: string) => index.node(hash)?.entry.verdict.priority ?? 0n;
      return [...(await driver.peekParked(...given))].sort((a, b) => Number(price(b.hash) - price(a.hash)));
    },
  })),
  ranking('parked-listed-without-payloads', (driver) => ({
    peekParked: async (...given) =>
      (await driver.peekParked(...given)).map((one) => ({ ...one, payload: new Uint8Array() })),
  })),
  ranking('parked-pending-too', (driver) => ({
    peekPending: async (after, limit, context) => {
      const ready = await driver.peekPending(after, limit, context);
      return [...ready, ...(await driver.peekParked(after, limit, context))].sort((a, b) => a.seq - b.seq);
    },
  })),
  ranking('pending-listed-by-price', (driver, { index }) => ({
    peekPending: async (...given) => {
      const at = new Map(Array.from(index.order, ({ hash }, i) => [hash, i]));
      return [...(await driver.peekPending(...given))].sort((a, b) => (at.get(a.hash) ?? 0) - (at.get(b.hash) ?? 0));
    },
  })),
  ranking('usage-counts-ready-ones-as-pending', (driver, { index }) => ({
    usage: async (context) => {
      const usage = await driver.usage(context);
      return { ...usage, pending: usage.pending - index.parked.length };
    },
  })),
  settling('readiness-told-by-an-event', ['admit'], (step, { index, ledger }) => {
    const promoted = index
      .touched()
      .filter(({ node, before }) => before?.place?.ready === false && node.place?.ready === true);
    const events = [...step.events];
    for (const { node } of promoted) events.push(toldOf(node, events, ledger.lastEventSeq));
    return { ...step, events };
  }),
  settling('verdicts-told-by-an-event', ['revise'], (step, { index, ledger }) => {
    const revised = index.touched().filter(({ node, before }) => before?.entry.version !== node.entry.version);
    const events = [...step.events];
    for (const { node } of revised) events.push(toldOf(node, events, ledger.lastEventSeq));
    return { ...step, events };
  }),
  ranking('children-dropped-with-their-parent', (driver, { index }) => ({
    drop: async (hashes, reason, context) => {
      const children = childrenIn(index, hashes);
      const gone = await driver.drop(hashes, reason, context);
      await driver.drop(children, reason, { ...context, operationId: undefined });
      return gone;
    },
  })),
  ranking('children-released-with-their-parent', (driver, { index }) => ({
    move: async (verb, hashes, context) => {
      const children = verb === 'release' ? childrenIn(index, hashes) : [];
      const moved = await driver.move(verb, hashes, context);
      await driver.move('release', children, { ...context, operationId: undefined });
      return moved;
    },
  })),
  ranking('flush-leaves-the-parked', (driver, { index }) => ({
    flush: async (context) => {
      const ready = Array.from(index.order)
        .filter(({ place }) => place.ready)
        .map(({ hash }) => hash);
      return (await driver.drop(ready, 'flushed', context)).length;
    },
  })),
  ranking('tags-kept-as-often-as-named', (driver) => ({
    admit: (submissions, moment, context) => {
      const twice = (tags: readonly string[]) => [...tags, ...tags];
      const named = submissions.map(({ verdict, ...one }) => ({
        ...one,
        verdict: { ...verdict, provides: twice(verdict.provides), requires: twice(verdict.requires) },
      }));
      return driver.admit(named, moment, context);
    },
  })),
  seeing('new-life-provides-nothing-to-old-children', ['admit'], ({ index }) => ({
    put: (entry, stage) => {
      const known = index.node(entry.hash) !== undefined;
      return index.put(known ? { ...entry, verdict: { ...entry.verdict, provides: [] } } : entry, stage);
    },
  })),
];
