import { expect, test } from 'vitest';
import { checkVerdict } from '../../src/boundary/verdicts.ts';
import { defaultLimits, type Limits } from '../../src/contract/limits.ts';
import type { OrderKey } from '../../src/contract/order-key.ts';
import type { Verdict } from '../../src/contract/verdict.ts';
import { bySeq, SortedList } from '../../src/memory/sorted-list.ts';
import { admitStep } from '../../src/priority/admission.ts';
import { confirmPoolStep, rollbackPoolStep } from '../../src/priority/block-step.ts';
import { PoolIndex } from '../../src/priority/pool-index.ts';
import type { PoolNode } from '../../src/priority/pool-node.ts';
import { PriorityCall } from '../../src/priority/priority-call.ts';
import { PriorityPool } from '../../src/priority/priority-pool.ts';
import type { Planning } from '../../src/priority/step-builder.ts';
import { TagIndex } from '../../src/priority/tag-index.ts';
import { limitsStep } from '../../src/rules/call-plan.ts';
import type { Step } from '../../src/rules/step.ts';

/** What a call did: transactions that it looked at because of a tag, and those that it placed. */
const cost = { looks: 0, places: 0 };

function* counted(nodes: Iterable<PoolNode>): Generator<PoolNode, undefined> {
  for (const node of nodes) {
    cost.looks += 1;
    yield node;
  }
}

class CountedNodes extends Set<PoolNode> {
  override [Symbol.iterator](): SetIterator<PoolNode> {
    return counted({ [Symbol.iterator]: () => super[Symbol.iterator]() });
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
  override [Symbol.iterator](): Generator<PoolNode, undefined> {
    return counted({ [Symbol.iterator]: () => super[Symbol.iterator]() });
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

const never = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };
const limits = { ...defaultLimits, maxAncestors: 10_000, maxDescendants: 10_000, maxPerSender: 10_000 };
const point = { slot: 1, hash: 'ab'.repeat(32) };

class CountedPool {
  readonly index: CountedIndex = new CountedIndex(limits);
  readonly #pool = new PriorityPool({
    epoch: 'made once',
    retention: { maxFinalized: 100, maxEvents: 10, maxRollback: 100 },
    limits: {},
    index: this.index,
  });

  receive(submissions: Readonly<Record<string, Verdict>>, from: string | null = null): void {
    const all = Object.entries(submissions).map(([hash, verdict]) => {
      return { hash, payload: Buffer.alloc(1), payloadType: 0, verdict: checkVerdict('verdict', verdict), from };
    });
    this.#run((pool) => admitStep(pool, all, { nowMs: 0, height: 0 }, never));
  }

  confirm(block: { readonly seen?: readonly string[]; readonly provides?: readonly string[] }): void {
    const whole = { seen: [], unseen: [], provides: [], ...block, point, parent: null, thresholds: never };
    this.#run((pool) => confirmPoolStep(pool, 0, whole, null));
  }

  rollback(): void {
    this.#run((pool) => rollbackPoolStep(pool, 0, null, null));
  }

  setLimits(changed: Partial<Limits>): void {
    this.#run((pool) => limitsStep(new PriorityCall(pool, 0), changed));
  }

  #run(plan: (pool: Planning) => Step<unknown>): void {
    this.#pool.commit(plan, (step) => step);
  }
}

function many(count: number, verdict: (i: number) => Verdict): Record<string, Verdict> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [(i + 4096).toString(16), verdict(i)]));
}

interface Call {
  readonly before: (pool: CountedPool) => void;
  readonly call: (pool: CountedPool) => void;
  readonly looks: number;
  readonly places?: number;
}

const waiting = many(900, () => ({ requires: ['tag'] }));
const chain = many(600, (i) => ({ provides: [`${i}`], requires: i === 0 ? [] : [`${i - 1}`] }));
const roots = Array.from({ length: 20 }, (_, i) => `${i}`);

const calls: Readonly<Record<string, Call>> = {
  'an undoing looks at each of a chain a few times, and places it once': {
    before: (pool) => {
      pool.receive(chain);
      pool.confirm({ seen: Object.keys(chain) });
    },
    call: (pool) => pool.rollback(),
    looks: 600 * 30,
    places: 600,
  },
  'one that too many wait for looks at each a few times, and places those that stay': {
    before: (pool) => {
      pool.receive(waiting);
      pool.setLimits({ maxDescendants: 10 });
    },
    call: (pool) => pool.receive({ a1: { provides: ['tag'] } }),
    looks: 900 * 10,
    places: 11,
  },
  'a child below many walks their common descendants once': {
    before: (pool) => {
      pool.receive(Object.fromEntries(roots.map((tag, i) => [(i + 16).toString(16), { provides: [tag] }])));
      pool.receive({ a1: { provides: ['common'], requires: roots } });
      pool.receive(many(400, () => ({ requires: ['common'] })));
    },
    call: (pool) => pool.receive({ a2: { requires: ['common'] } }),
    looks: 1_500,
  },
  'a peer more that sent it is nothing to those that wait for it': {
    before: (pool) => pool.receive({ a1: { provides: ['tag'] }, ...waiting }),
    call: (pool) => pool.receive({ a1: {} }, 'peer'),
    looks: 100,
    places: 0,
  },
  'a moving floor places those alone that it crosses': {
    before: (pool) => {
      pool.setLimits({ minPriority: 10n });
      pool.receive(many(500, (i) => ({ maxPriority: i === 0 ? 30n : 1_000n, tip: BigInt(i % 7) })));
    },
    call: (pool) => pool.setLimits({ minPriority: 40n }),
    looks: 100,
    places: 1,
  },
};

test.each(Object.entries(calls))('a call costs no more than what it touches: %s', (_, { before, call, ...most }) => {
  const pool = new CountedPool();
  before(pool);
  Object.assign(cost, { looks: 0, places: 0 });
  call(pool);
  expect(cost.looks).toBeLessThan(most.looks);
  if (most.places !== undefined) expect(cost.places).toBe(most.places);
});
