import { type Block, type Mempool, MempoolError } from 'mempool-core';
import { Random, seed } from 'mempool-testkit';
import { describe, expect, it } from 'vitest';
import { collect, hash } from '../mempool/tap.ts';
import { eventually, type Node, Scene } from './scene.ts';
import { blockOn, ScriptedChain } from './scripted-chain.ts';

const transactions = 40;
const actions = 80;
const kinds = ['grow', 'grow', 'fork', 'see', 'see', 'see', 'win', 'lose', 'cut', 'restart', 'pause'] as const;

/** A chain that grows and forks, as steps that every node sees in the same order, each at a speed of its own. */
class ChainHistory {
  readonly blocks: Block[] = [];
  readonly steps: ((chain: ScriptedChain) => void)[] = [];
  readonly #chance: Random;
  #branch = 0;

  constructor(chance: Random) {
    this.#chance = chance;
    this.grow();
  }

  grow(): void {
    const below = this.blocks.at(-1) ?? null;
    const carried = Array.from({ length: this.#chance.below(4) }, () => this.#chance.below(transactions));
    const block = blockOn(this.#branch, (below?.point.slot ?? 0) + 1, below, ...carried);
    this.blocks.push(block);
    this.steps.push((chain) => chain.grow(block));
  }

  /** Another branch, longer than what it takes the place of. The first block of all stays. */
  fork(): void {
    const depth = Math.min(1 + this.#chance.below(5), this.blocks.length - 1);
    this.#branch += 1;
    this.blocks.length -= depth;
    const end = this.blocks.at(-1) as Block;
    this.steps.push((chain) => chain.undo(end));
    for (let i = 0; i <= depth; i++) this.grow();
  }
}

/** A node, and how many steps of the history it has seen. */
interface Part {
  readonly node: Node;
  seen: number;
}

class Play {
  readonly #chance: Random;
  readonly #history: ChainHistory;
  readonly #parts: Part[] = [];

  constructor(chance: Random, history: ChainHistory) {
    this.#chance = chance;
    this.#history = history;
  }

  async join(pool: Scene, id: string): Promise<void> {
    const node = await pool.join(id, new ScriptedChain(), { ringSize: this.#chance.pick([2, 8, 100]) });
    this.#parts.push({ node, seen: 0 });
  }

  async act(): Promise<void> {
    const part = this.#chance.pick(this.#parts);
    switch (this.#chance.pick(kinds)) {
      case 'grow':
        return this.#history.grow();
      case 'fork':
        return this.#history.fork();
      case 'see':
        return this.#see(part, 1 + this.#chance.below(4));
      case 'win':
        return this.#win(part);
      case 'lose':
        return part.node.election.lose();
      case 'cut':
        return part.node.chain.cut();
      case 'restart':
        await part.node.watcher.stop();
        return part.node.watcher.start();
      case 'pause':
        for (let turns = this.#chance.below(40); turns > 0; turns--) await new Promise(setImmediate);
    }
  }

  /** Everybody sees the whole chain, and one leads. */
  async end(): Promise<void> {
    for (const part of this.#parts) this.#see(part, this.#history.steps.length);
    for (const { node } of this.#parts) await node.election.lose();
    this.#chance.pick(this.#parts).node.election.win();
  }

  /** Those who led before are not told: the pool's fence is what stops them. */
  async #win({ node }: Part): Promise<void> {
    await node.election.lose();
    node.election.win();
  }

  #see(part: Part, count: number): void {
    for (const step of this.#history.steps.slice(part.seen, part.seen + count)) step(part.node.chain);
    part.seen = Math.min(part.seen + count, this.#history.steps.length);
  }
}

/** Every now and then the pool does what it is asked, and nobody hears of it. */
function loseAnswers({ tap }: Scene, chance: Random): void {
  for (const verb of ['confirm', 'rollback', 'tip'] as const)
    tap.after(verb, async () => {
      if (chance.below(12) === 0) throw new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', 'the answer was lost');
    });
}

/** Pending from the start and never final, so that the state in the end depends on the chain alone. */
async function fill({ store }: Scene): Promise<void> {
  const all = Array.from({ length: transactions }, (_, n) => hash(n));
  await store.receive(all.map((each) => ({ hash: each, payload: new Uint8Array(1), payloadType: 0 })));
}

async function stateOf(store: Mempool): Promise<unknown> {
  const found = await store.status(Array.from({ length: transactions }, (_, n) => hash(n)));
  const statuses = found.map(({ receivedAt: _, ...status }) => status);
  const { lastEventSeq: _, epoch: __, cursors: ___, ...usage } = await store.usage();
  const { epoch: ____, ...tip } = await store.tip();
  return { statuses, usage, tip };
}

/** The pool ends where the blocks do. What it no longer keeps its events tell. */
async function endsWith({ store }: Scene, blocks: readonly Block[]): Promise<void> {
  expect(await store.tip()).toMatchObject({ point: blocks.at(-1)?.point, tick: blocks.length, points: [] });
}

/** Follows the block events: each is applied on the block that was the last one, and only the last one is undone. */
async function replayed(store: Mempool): Promise<string[]> {
  const stream = await store.subscribe({ after: 'origin' });
  const closing = store.close();
  const chain: string[] = [];
  for (const event of await collect(stream)) {
    if (event.kind !== 'block') continue;
    if (event.action === 'undone') expect(chain.pop()).toBe(event.point.hash);
    else expect(chain).not.toContain(event.point.hash);
    if (event.action === 'applied') expect(chain.push(event.point.hash)).toBe(event.tick);
  }
  await closing;
  return chain;
}

async function open(maxRollback: number): Promise<Scene> {
  const never = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };
  const pool = await Scene.open({ ...never, maxRollback });
  await fill(pool);
  return pool;
}

describe('three watchers of one pool', () => {
  it.each(Array.from({ length: 20 }, (_, i) => seed + i))(
    'end where a single one does, each block applied once, whoever led and however the chain forked (seed %d)',
    async (each) => {
      const chance = new Random(each);
      const history = new ChainHistory(chance);
      const play = new Play(chance, history);
      const maxRollback = chance.pick([16, 2_160]);
      await using pool = await open(maxRollback);
      loseAnswers(pool, new Random(each + 1));
      for (const id of ['a', 'b', 'c']) await play.join(pool, id);
      for (let i = 0; i < actions; i++) await play.act();
      await play.end();
      await eventually(() => endsWith(pool, history.blocks));

      await using single = await open(maxRollback);
      const only = await single.join('only', new ScriptedChain(...history.blocks));
      only.election.win();
      await eventually(() => endsWith(single, history.blocks));
      expect(await stateOf(pool.store)).toEqual(await stateOf(single.store));
      expect(await replayed(pool.store)).toEqual(history.blocks.map(({ point }) => point.hash));
    },
  );
});
