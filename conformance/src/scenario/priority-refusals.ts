import type { OpenOptions } from 'mempool-core';
import { account, atLeast, type Draft, maxPriority, type Refused, type Scene } from './priority.ts';

/** A kind of refusal. */
export interface RefusalExample {
  readonly id: string;
  readonly title: string;
  readonly limits: OpenOptions;
  arrange(scene: Scene): Promise<unknown>;
  readonly draft: Draft;
  refused(scene: Scene): Refused;
}

function fixed(refused: Refused): () => Refused {
  return () => refused;
}

/** Every kind of refusal, with an example of each. */
export const refusals: readonly RefusalExample[] = [
  {
    id: 'gas',
    title: 'a transaction with more gas than the limit is refused',
    limits: { maxTxGas: 100 },
    arrange: (scene) => scene.fill({ old: {} }),
    draft: { gas: 101 },
    refused: fixed({ kind: 'limit', limit: 'maxTxGas' }),
  },
  {
    id: 'conflict',
    title: 'a transaction that provides a tag of one in flight is refused',
    limits: {},
    async arrange(scene) {
      await scene.fill({ old: { provides: ['x'] } });
      await scene.mark('old');
    },
    draft: { provides: ['x'], priority: maxPriority },
    refused: (scene) => ({ kind: 'conflict', with: scene.hash('old') }),
  },
  {
    id: 'spent',
    title: 'a transaction that provides a tag satisfied by a block is refused',
    limits: {},
    arrange: (scene) => scene.block(1, { provides: ['x'] }),
    draft: { provides: ['y', 'x'], priority: maxPriority },
    refused: fixed({ kind: 'conflict', with: null }),
  },
  {
    id: 'spent-by-a-final-one',
    title: 'a transaction that provides a tag of a Finalized one is refused',
    limits: {},
    async arrange(scene) {
      await scene.fill({ old: { provides: ['x'] }, child: { requires: ['x'] } });
      await scene.block(1, { seen: ['old'] }, { finalizeThreshold: 1 });
    },
    draft: { provides: ['x'], requires: ['missing'], priority: maxPriority },
    refused: fixed({ kind: 'conflict', with: null }),
  },
  {
    id: 'underpriced',
    title: 'a replacement that pays too little is refused',
    limits: {},
    arrange: (scene) => scene.fill({ old: { provides: ['x'], priority: 100n } }),
    draft: { provides: ['x'], priority: 109n },
    refused: fixed({ kind: 'replacement-underpriced', required: 110n }),
  },
  {
    id: 'underpriced-sum',
    title: 'a replacement that pays no more in sum than all that it would replace is refused',
    limits: {},
    arrange: (scene) =>
      scene.fill({ old: { provides: ['x'], priority: 100n }, other: { provides: ['y'], priority: 100n } }),
    draft: { provides: ['x', 'y'], priority: 200n },
    refused: fixed({ kind: 'replacement-underpriced', required: 201n }),
  },
  {
    id: 'sender',
    title: 'one more transaction of a sender than the pool allows is refused',
    limits: { maxPerSender: 2 },
    arrange: (scene) => scene.fill({ a: { sender: 's' }, b: { sender: 's' } }),
    draft: { sender: 's', priority: maxPriority },
    refused: fixed({ kind: 'sender-limit', limit: 2 }),
  },
  {
    id: 'own-sender-limit',
    title: 'one more transaction of a sender than its own verdict allows is refused',
    limits: { maxPerSender: 9 },
    arrange: (scene) => scene.fill({ a: { sender: 's' } }),
    draft: { sender: 's', senderLimit: 1, priority: maxPriority },
    refused: fixed({ kind: 'sender-limit', limit: 1 }),
  },
  {
    id: 'own-cycle',
    title: 'a transaction that requires its own tag is refused',
    limits: {},
    arrange: (scene) => scene.fill({ old: {} }),
    draft: { provides: ['x'], requires: ['x'] },
    refused: fixed({ kind: 'cycle' }),
  },
  {
    id: 'cycle',
    title: 'a transaction that would close a cycle is refused',
    limits: {},
    arrange: (scene) =>
      scene.fill({ a: { provides: ['a'], requires: ['x'] }, b: { provides: ['b'], requires: ['a'] } }),
    draft: { provides: ['x'], requires: ['b'] },
    refused: fixed({ kind: 'cycle' }),
  },
  {
    id: 'ancestors',
    title: 'a transaction with too many Pending ancestors is refused',
    limits: { maxAncestors: 2 },
    arrange: (scene) => scene.fill({ a: account('s', 0), b: account('s', 1), c: account('s', 2) }),
    draft: account('s', 3),
    refused: fixed({ kind: 'limit', limit: 'maxAncestors' }),
  },
  {
    id: 'parked',
    title: 'one more parked transaction than the pool allows is refused',
    limits: { maxParked: 1 },
    arrange: (scene) => scene.fill({ a: { requires: ['missing'] } }),
    draft: { requires: ['missing'] },
    refused: fixed({ kind: 'limit', limit: 'maxParked' }),
  },
  {
    id: 'descendants',
    title: 'a transaction that would give an ancestor too many Pending descendants is refused',
    limits: { maxDescendants: 2 },
    arrange: (scene) => scene.fill({ a: account('s', 0), b: account('s', 1), c: account('s', 2) }),
    draft: account('s', 3),
    refused: fixed({ kind: 'limit', limit: 'maxDescendants' }),
  },
  {
    id: 'own-descendants',
    title: 'a transaction that would itself have too many ready descendants is refused',
    limits: { maxDescendants: 2 },
    async arrange(scene) {
      await scene.fill({
        a: { provides: ['a'] },
        b: { provides: ['b'] },
        a1: { requires: ['a'] },
        a2: { requires: ['a'] },
      });
      await scene.fill({ b1: { requires: ['b'] } });
    },
    draft: { provides: ['a', 'b'], priority: 9n },
    refused: fixed({ kind: 'limit', limit: 'maxDescendants' }),
  },
  {
    id: 'full',
    title: 'a transaction that pays no more than the last of a full pool is refused',
    limits: { maxTxs: 2 },
    arrange: (scene) => scene.fill({ a: { priority: 8n }, b: { priority: 5n } }),
    draft: { priority: 5n },
    refused: fixed({ kind: 'full', floor: atLeast(6n) }),
  },
  {
    id: 'full-bytes',
    title: 'a transaction that pays no more than those whose bytes it needs is refused',
    limits: { maxBytes: 100 },
    arrange: (scene) =>
      scene.fill({ a: { priority: 8n, bytes: 40 }, b: { priority: 5n, bytes: 30 }, c: { priority: 4n, bytes: 30 } }),
    draft: { priority: 5n, bytes: 31 },
    refused: fixed({ kind: 'full', floor: atLeast(5n) }),
  },
  {
    id: 'full-without-eviction',
    title: 'a transaction that does not fit is refused if the pool never evicts',
    limits: { maxTxs: 1, eviction: 'none' },
    arrange: (scene) => scene.fill({ a: {} }),
    draft: { priority: maxPriority },
    refused: fixed({ kind: 'full', floor: { kind: 'closed' } }),
  },
];
