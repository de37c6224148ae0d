import { beforeEach, describe, expect, test } from 'vitest';
import { checkVerdict } from '../../src/boundary/verdicts.ts';
import type { IndexDump } from '../../src/contract/dump.ts';
import type { MoveVerb } from '../../src/contract/lifecycle.ts';
import { defaultLimits } from '../../src/contract/limits.ts';
import type { OrderKey } from '../../src/contract/order-key.ts';
import type { Verdict } from '../../src/contract/verdict.ts';
import { bySeq, SortedList } from '../../src/memory/sorted-list.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { confirmPoolStep, rollbackPoolStep } from '../../src/priority/block-step.ts';
import { decodeChange, encodeChange } from '../../src/priority/change-record.ts';
import { dumpOf } from '../../src/priority/dump.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';
import { dropPoolStep, movePoolStep, reviseStep } from '../../src/priority/pool-step.ts';
import { PriorityCall } from '../../src/priority/priority-call.ts';
import { changeOfStep, PriorityPool } from '../../src/priority/priority-pool.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import { TagIndex } from '../../src/priority/tag-index.ts';
import { limitsStep } from '../../src/rules/call-plan.ts';
import type { Step } from '../../src/rules/step.ts';

/** What a call did: transactions that it looked at because of a tag, and those that it placed. */
const cost = { looks: 0, places: 0 };

class CountedNodes extends Set<PoolNode> {
  override *[Symbol.iterator](): SetIterator<PoolNode> {
    for (const node of super[Symbol.iterator]()) {
      cost.looks += 1;
      yield node;
    }
  }
}

class CountedTags extends TagIndex {
  override of(tag: string): ReadonlySet<PoolNode> {
    cost.looks += 1;
    const nodes = new CountedNodes();
    for (const node of super.of(tag)) nodes.add(node);
    return nodes;
  }
}

class CountedList extends SortedList<PoolNode, { readonly seq: number }> {
  override *[Symbol.iterator](): Generator<PoolNode, undefined> {
    for (const node of super[Symbol.iterator]()) {
      cost.looks += 1;
      yield node;
    }
  }
}

class CountedIndex extends PoolIndex {
  override readonly providers: TagIndex = new CountedTags();
  override readonly dependents: TagIndex = new CountedTags();
  override readonly parked: SortedList<PoolNode, { readonly seq: number }> = new CountedList(bySeq);

  override place(node: PoolNode, place: OrderKey): void {
    cost.places += 1;
    super.place(node, place);
  }
}

const thresholds = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };
const retention = { maxFinalized: 100, maxEvents: 10, maxRollback: 100 };

class CountedPool {
  /** Another node's. */
  follower: CountedPool | null = null;
  readonly #pool = new PriorityPool({
    epoch: 'made once',
    retention,
    limits: {},
    index: new CountedIndex({ ...defaultLimits, maxAncestors: 10_000, maxDescendants: 10_000, maxPerSender: 10_000 }),
  });
  #blocks = 0;

  get state(): IndexDump {
    return dumpOf(this.#pool.index);
  }

  receive(submissions: Readonly<Record<string, Verdict>>, from: string | null = null): string[] {
    const all = Object.entries(submissions).map(([hash, verdict]) => {
      return { hash, payload: Buffer.alloc(1), payloadType: 0, verdict: checkVerdict('verdict', verdict), from };
    });
    const told = this.#run((pool) => admitStep(pool, all, { nowMs: 0, height: 0 }, thresholds));
    return told.map((outcome) => ('limit' in outcome ? String(outcome.limit) : outcome.kind));
  }

  confirm(block: { readonly seen?: readonly string[]; readonly provides?: readonly string[] }): void {
    this.#blocks += 1;
    const point = { slot: this.#blocks, hash: this.#blocks.toString(16).padStart(64, '0') };
    const whole = { seen: [], unseen: [], provides: [], ...block, point, parent: null, thresholds };
    this.#run((pool) => confirmPoolStep(pool, 0, whole, null));
  }

  rollback(): number {
    const outcome = this.#run((pool) => rollbackPoolStep(pool, 0, null, null));
    return 'returned' in outcome ? outcome.returned : 0;
  }

  setMaxDescendants(maxDescendants: number): void {
    this.#run((pool) => limitsStep(new PriorityCall(pool, 0), { maxDescendants }));
  }

  mark(verb: MoveVerb, ...hashes: readonly string[]): void {
    this.#run((pool) => movePoolStep(pool, 0, verb, hashes));
  }

  drop(hashes: readonly string[]): void {
    this.#run((pool) => dropPoolStep(pool, 0, hashes, 'failed'));
  }

  revise(hashes: readonly string[], answer: Verdict): void {
    const revisions = hashes.map((hash) => ({ hash, version: 1, answer: checkVerdict('verdict', answer) }));
    const told = this.#run((pool) => reviseStep(pool, revisions, { nowMs: 0, height: 0 }));
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['revised']));
  }

  #run<T>(plan: (pool: Planning) => Step<T>): T {
    return this.#pool.commit(plan, (step) => {
      const change = changeOfStep(step, this.#pool.memory.lastEventSeq + step.events.length);
      if (this.follower !== null) this.follower.#pool.apply(decodeChange(encodeChange(change)));
      return step;
    });
  }
}

function many(count: number, verdict: (i: number) => Verdict): Record<string, Verdict> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [(i + 4096).toString(16), verdict(i)]));
}

function costOf(call: () => void): typeof cost {
  Object.assign(cost, { looks: 0, places: 0 });
  call();
  return { ...cost };
}

let pool: CountedPool;

beforeEach(() => {
  pool = new CountedPool();
});

describe('a call costs no more than what it touches', () => {
  test('an undoing looks at each of a long chain that it brings back a few times', () => {
    const chain = many(600, (i) => ({ provides: [`${i}`], requires: i === 0 ? [] : [`${i - 1}`] }));
    pool.receive(chain);
    pool.confirm({ seen: Object.keys(chain) });
    const { looks, places } = costOf(() => expect(pool.rollback()).toBe(600));
    expect(looks).toBeLessThan(600 * 30);
    expect(places).toBe(600);
  });

  test('one that too many wait for looks at each a few times, and places those that stay', () => {
    pool.receive(many(900, () => ({ requires: ['tag'] })));
    pool.setMaxDescendants(10);
    const { looks, places } = costOf(() => expect(pool.receive({ a1: { provides: ['tag'] } })).toEqual(['received']));
    expect(looks).toBeLessThan(900 * 10);
    expect(places).toBe(11);
  });

  test('one that is refused for those that wait beside it looks at few of them', () => {
    pool.receive({ a1: { provides: ['tag'] } });
    pool.mark('markInflight', 'a1');
    pool.receive(many(900, () => ({ requires: ['tag'] })));
    pool.mark('release', 'a1');
    pool.setMaxDescendants(10);
    const { looks } = costOf(() => {
      expect(pool.receive({ a2: { requires: ['tag'] } })).toEqual(['maxDescendants']);
    });
    expect(looks).toBeLessThan(100);
  });

  test('a child below many walks their common descendants once', () => {
    const tags = Array.from({ length: 20 }, (_, i) => `${i}`);
    pool.receive(Object.fromEntries(tags.map((tag, i) => [(i + 16).toString(16), { provides: [tag] }])));
    pool.receive({ a1: { provides: ['common'], requires: tags } });
    pool.receive(many(400, () => ({ requires: ['common'] })));
    const { looks } = costOf(() => expect(pool.receive({ a2: { requires: ['common'] } })).toEqual(['received']));
    expect(looks).toBeLessThan(1_500);
  });

  test('one that many wait for walks the ancestors that they have in common once', () => {
    const tags = Array.from({ length: 20 }, (_, i) => `${i}`);
    pool.receive(Object.fromEntries(tags.map((tag, i) => [(i + 16).toString(16), { provides: [tag] }])));
    pool.receive({ a1: { provides: ['common'], requires: tags } });
    pool.receive(many(400, () => ({ requires: ['common', 'late'] })));
    const { looks } = costOf(() => expect(pool.receive({ a2: { provides: ['late'] } })).toEqual(['received']));
    expect(looks).toBeLessThan(400 * 30);
  });

  test('one that a chain waits for walks it a few times', () => {
    pool.receive(many(600, (i) => ({ provides: [`${i + 1}`], requires: [`${i}`] })));
    const { looks } = costOf(() => expect(pool.receive({ a1: { provides: ['0'] } })).toEqual(['received']));
    expect(looks).toBeLessThan(600 * 30);
  });

  test('who comes to provide what the chain has done is nothing to those that require it', () => {
    pool.confirm({ provides: ['tag'] });
    pool.receive(many(900, () => ({ requires: ['tag'] })));
    const { looks } = costOf(() => {
      expect(pool.receive({ a1: { provides: ['tag'] } })).toEqual(['conflict']);
    });
    expect(looks).toBeLessThan(100);
  });

  test('a stage of one in flight is nothing to those that require it', () => {
    pool.receive({ a1: { provides: ['tag'] } });
    pool.mark('markInflight', 'a1');
    pool.receive(many(900, () => ({ requires: ['tag'] })));
    const { looks } = costOf(() => {
      pool.mark('markAcknowledged', 'a1');
      pool.confirm({ seen: ['a1'] });
    });
    expect(looks).toBeLessThan(100);
  });

  test('a peer more that sent it is nothing to those that wait for it, on a node that follows too', () => {
    const follower = new CountedPool();
    pool.follower = follower;
    pool.receive({ a1: { provides: ['tag'] } });
    pool.receive(many(900, () => ({ requires: ['tag'] })));
    const { looks, places } = costOf(() => pool.receive({ a1: {} }, 'peer'));
    expect(places).toBe(0);
    expect(looks).toBeLessThan(100);
    expect(follower.state.entries.find(({ hash }) => hash === 'a1')?.sources).toEqual(['peer']);
  });

  test('of a dense graph each is placed once when its root comes', () => {
    const graph = many(60, (i) => ({
      provides: [`${i}`],
      requires: ['root', ...Array.from({ length: i }, (_, earlier) => `${earlier}`)],
    }));
    pool.receive(Object.fromEntries(Object.entries(graph).reverse()));
    const { places } = costOf(() => pool.receive({ a1: { provides: ['root'], priority: -1n } }));
    expect(places).toBe(61);
  });

  test('a chain that came from its end on is placed once when it comes back', () => {
    const chain = many(300, (i) => ({ provides: [`${i}`], requires: i === 299 ? [] : [`${i + 1}`] }));
    pool.receive(chain);
    pool.confirm({ seen: Object.keys(chain) });
    const { places } = costOf(() => expect(pool.rollback()).toBe(300));
    expect(places).toBe(300);
  });
});
