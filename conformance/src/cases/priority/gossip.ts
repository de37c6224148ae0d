import assert from 'node:assert/strict';
import { readCursor } from 'mempool-core/backend';
import type { ConformanceCase } from '../../case/case.ts';
import { eachOnPriorityPool, type Scene } from '../../scenario/priority.ts';

/** The next gossip for a peer from its cursor on; the cursor moves with it. */
class Peer {
  readonly #scene: Scene;
  readonly #limit: number;
  #cursor: string | undefined;

  constructor(scene: Scene, limit = 1_000) {
    this.#scene = scene;
    this.#limit = limit;
  }

  async fetch(): Promise<string[]> {
    const { items, next } = await this.#scene.store.since({ after: this.#cursor, limit: this.#limit });
    const [before, now] = [numberIn(this.#cursor), numberIn(next)];
    assert.ok(items.length === 0 ? now >= before : now > before);
    this.#cursor = next;
    return this.#scene.names(items);
  }
}

/** The number in a gossip cursor. */
function numberIn(cursor = 'origin'): number {
  return readCursor('gossip', cursor)?.number ?? assert.fail(`${cursor} is no cursor`);
}

export const gossipCases: readonly ConformanceCase[] = eachOnPriorityPool({
  'P10/promoted-ahead: one that becomes ready later is ahead of every cursor': async (scene) => {
    const peer = new Peer(scene);
    await scene.fill({ child: { requires: ['p'] }, other: {} });
    assert.deepEqual(await peer.fetch(), ['other']);
    await scene.fill({ p: { provides: ['p'] } });
    assert.deepEqual(await peer.fetch(), ['p', 'child']);
  },
  'P10/large-pages: a page ends at 8 MiB of payloads, and no item is left out': async (scene) => {
    for (let i = 0; i < 10; i++) await scene.add(`n${i}`, { bytes: 1_048_576 });
    const peer = new Peer(scene);
    const [first, second, third] = [await peer.fetch(), await peer.fetch(), await peer.fetch()];
    assert.ok(first.length > 0 && first.length <= 8);
    assert.equal((await scene.store.since({ hashesOnly: true })).items.length, 10);
    assert.deepEqual([...first, ...second, ...third].length, 10);
  },
});
